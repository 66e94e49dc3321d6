import type { Kysely, Selectable } from 'kysely';
import type { ToolSpec, WorkflowRef } from '../sdk/protocol';
import type { Schema, ToolsetTable } from './schema';
import type { StoredToolset } from './types';

export async function putToolset(
  db: Kysely<Schema>,
  toolset: StoredToolset,
): Promise<StoredToolset> {
  await db
    .insertInto('rewind_toolsets')
    .values({
      id: toolset.id,
      parent: toolset.parent ?? null,
      tools: JSON.stringify(toolset.tools),
      workflows: JSON.stringify(toolset.workflows),
      created_at: toolset.createdAt,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return (await toolsetById(db, toolset.id)) ?? toolset;
}

export async function toolsetById(
  db: Kysely<Schema>,
  id: string,
): Promise<StoredToolset | undefined> {
  const row = await db
    .selectFrom('rewind_toolsets')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return row && fromRow(row);
}

function fromRow(row: Selectable<ToolsetTable>): StoredToolset {
  return {
    id: row.id,
    ...(row.parent !== null && { parent: row.parent }),
    tools: JSON.parse(row.tools) as Record<string, ToolSpec>,
    workflows: JSON.parse(row.workflows) as WorkflowRef[],
    createdAt: row.created_at,
  };
}
