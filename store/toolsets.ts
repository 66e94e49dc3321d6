import type { Kysely, Selectable } from 'kysely';
import type { ToolSpec, WorkflowRef } from '../sdk/protocol';
import type { Schema, ToolsetTable } from './schema';
import type { StoredToolset } from './types';

/** Toolsets kept in memory, and how many characters of one at most. */
const KEPT = 200;
const KEPT_CHARACTERS = 100_000;

/** Toolsets as they were read. They never change, and each start of a run needs one. */
export class ToolsetReader {
  private readonly kept = new Map<string, StoredToolset>();

  constructor(private readonly db: Kysely<Schema>) {}

  async byId(id: string): Promise<StoredToolset | undefined> {
    const kept = this.kept.get(id);
    if (kept) return kept;
    const row = await rowById(this.db, id);
    if (!row) return undefined;
    const toolset = fromRow(row);
    if (row.tools.length + row.workflows.length <= KEPT_CHARACTERS) this.keep(toolset);
    return toolset;
  }

  private keep(toolset: StoredToolset): void {
    this.kept.set(toolset.id, toolset);
    const oldest = this.kept.keys().next().value;
    if (this.kept.size > KEPT && oldest !== undefined) this.kept.delete(oldest);
  }
}

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
  const row = await rowById(db, toolset.id);
  return row ? fromRow(row) : toolset;
}

function rowById(db: Kysely<Schema>, id: string): Promise<Selectable<ToolsetTable> | undefined> {
  return db.selectFrom('rewind_toolsets').selectAll().where('id', '=', id).executeTakeFirst();
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
