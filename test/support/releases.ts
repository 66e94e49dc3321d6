import { failureTypes } from '../../workflows/contract';
import type { TestRewind } from './rewind';

/** How many deliveries of these runs were given back, not begun. */
export async function releasesOf(rewind: TestRewind, runIds: readonly string[]): Promise<number> {
  const counts = await Promise.all(
    runIds.map(async (id) => {
      const { events } = await rewind.temporal.client.workflow.getHandle(id).fetchHistory();
      return (events ?? []).filter(
        ({ activityTaskFailedEventAttributes: failed }) =>
          failed?.failure?.applicationFailureInfo?.type === failureTypes.released,
      ).length;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
