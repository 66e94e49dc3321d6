import { limits } from '../../sdk/protocol';
import type { Handlers, Services } from '../handler';
import { textWithin } from '../sizes';
import { checkScope, findToolset } from './toolsets';

/** Scripts that are looked at and not run. */
export function scriptRoutes({ store, checker }: Services): Pick<Handlers, 'checkScript'> {
  return {
    checkScript: async ({ body }) => {
      textWithin(body.script, 'the script', limits.scriptBytes, 'script');
      const toolset = await findToolset(store, body.toolset);
      const outcome = await checker.check(body.script, checkScope(toolset));
      return outcome.ok
        ? { ok: true, diagnostics: [], tools: outcome.tools }
        : { ok: false, diagnostics: outcome.diagnostics, tools: Object.keys(toolset.tools) };
    },
  };
}
