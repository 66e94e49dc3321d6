import { Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '../sdk/protocol';
import type { RunTool } from './contract';

/** `undefined` where the value fits; else what is wrong, and where. */
export type Check = (value: unknown) => string | undefined;

/**
 * The run-time side of the tools' schemas; the type-checker shows scripts the same schemas as types.
 * Validators are made when first needed: a run of a large toolset uses few of its tools.
 */
export class ToolSchemas {
  private readonly checks = new Map<string, Check>();

  constructor(private readonly tools: Record<string, RunTool>) {}

  arguments(tool: string, value: unknown): string | undefined {
    return this.check(tool, 'input', value);
  }

  result(tool: string, value: unknown): string | undefined {
    return this.check(tool, 'output', value);
  }

  private check(tool: string, side: 'input' | 'output', value: unknown): string | undefined {
    const schema = this.tools[tool]?.[side];
    if (!schema) return undefined;
    const key = `${side} ${tool}`;
    let check = this.checks.get(key);
    if (!check) this.checks.set(key, (check = checkOf(schema)));
    return check(value);
  }
}

function checkOf(schema: JsonSchema): Check {
  const validator = new Validator(schema, '2020-12', true);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    if (valid) return undefined;
    // The last error is the innermost: the first ones say only that some part does not fit.
    const error = errors.at(-1);
    return error ? `${place(error.instanceLocation)}: ${error.error}` : 'does not fit its schema';
  };
}

/** `#/items/0/price` as `items[0].price`. */
function place(pointer: string): string {
  const parts = pointer.replace(/^#\/?/, '').split('/').filter(Boolean);
  const text = parts
    .map((part) =>
      /^\d+$/.test(part) ? `[${part}]` : `.${part.replace(/~1/g, '/').replace(/~0/g, '~')}`,
    )
    .join('');
  return text.replace(/^\./, '') || 'the value';
}
