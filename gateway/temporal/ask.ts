import type { QueryDefinition } from '@temporalio/common';
import type { Reply } from '../../workflows/contract';
import { within, type Access } from './access';

/** Asks a run, for at most so long. Rejects where no script worker answers in time. */
export async function ask<T>(
  access: Access,
  workflowId: string,
  query: QueryDefinition<Reply>,
  ms: number,
): Promise<T> {
  const reply = await within(access, ms, () =>
    access.client.workflow.getHandle(workflowId).query(query),
  );
  return JSON.parse(new TextDecoder().decode(reply)) as T;
}
