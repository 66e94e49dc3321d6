import { agentTools } from './requirements/agent-tools';
import { hostModule } from './requirements/host-module';
import { hostToolsCalls } from './requirements/host-tools-calls';
import { hostToolsWorker } from './requirements/host-tools-worker';
import type { Requirement } from './requirements/requirement';

export type { Requirement };

/** Every promise of the documents, and the tests that show it. requirements.test.ts keeps this true. */
export const requirements: readonly Requirement[] = [
  ...hostToolsWorker,
  ...hostToolsCalls,
  ...agentTools,
  ...hostModule,
];
