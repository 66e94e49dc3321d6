import type { CheckScope } from '../../check/types';
import { limits, type ToolsetObject, type ToolSpec } from '../../sdk/protocol';
import type { Store, StoredToolset } from '../../store/types';
import { invalidRequest, notFound } from '../errors';
import type { Handlers, Services } from '../handler';
import { jsonWithin } from '../sizes';
import { toolsetId } from '../toolset-id';

/** Toolsets: immutable, so one may be read by whoever knows its id. */
export function toolsetRoutes({
  store,
  checker,
}: Services): Pick<Handlers, 'createToolset' | 'retrieveToolset' | 'declarations'> {
  return {
    createToolset: async ({ body: { tools } }) => {
      jsonWithin({ tools }, 'the toolset', limits.toolsetBytes, 'tools');
      refuseApprovals(tools);
      const [problem, ...more] = await checker.checkTools(tools);
      if (problem) {
        const where = problem.path ? ` at ${problem.path}` : '';
        const rest = more.length > 0 ? ` (and ${more.length} more)` : '';
        throw invalidRequest(
          `tool ${JSON.stringify(problem.tool)}${where}: ${problem.message}${rest}`,
          `tools.${problem.tool}`,
        );
      }
      const id = toolsetId({ tools });
      return show(await store.putToolset({ id, tools, workflows: [], createdAt: new Date() }));
    },
    retrieveToolset: async ({ params }) => show(await findToolset(store, params.id)),
    declarations: async ({ params, query }) => {
      const scope = checkScope(await findToolset(store, params.id));
      return { declarations: await checker.declarations(scope, query.name) };
    },
  };
}

/** Fails where there is no such toolset. */
export async function findToolset(store: Store, id: string): Promise<StoredToolset> {
  const toolset = await store.toolset(id);
  if (!toolset) throw notFound('toolset', id);
  return toolset;
}

/** What scripts of the toolset are checked against. */
export function checkScope(toolset: StoredToolset): CheckScope {
  const workflows = toolset.workflows.map(({ name }) => ({ name }));
  return { id: toolset.id, tools: toolset.tools, workflows };
}

/** A tool that asks first must never run unasked, not even where nobody can be asked yet. */
function refuseApprovals(tools: Record<string, ToolSpec>): void {
  const name = Object.keys(tools).find((key) => tools[key]?.approval === true);
  if (name === undefined) return;
  throw invalidRequest(
    `tool ${JSON.stringify(name)}: "approval" is not available in this version; the tool would run unasked`,
    `tools.${name}.approval`,
  );
}

function show(toolset: StoredToolset): ToolsetObject {
  return {
    id: toolset.id,
    ...(toolset.parent !== undefined && { parent: toolset.parent }),
    tools: toolset.tools,
    workflows: toolset.workflows,
    createdAt: toolset.createdAt.toISOString(),
  };
}
