/** zod 4, or any schema of the Standard Schema interface that can give its JSON Schema. */
export interface TypedSchema<T> {
  readonly '~standard': { readonly types?: { readonly output: T } | undefined };
}

/** The parts of the Standard Schema interface that are used, all optional: seen by shape, never by class. */
export interface StandardProps {
  readonly vendor?: unknown;
  readonly validate?: (value: unknown) => StandardResult | Promise<StandardResult>;
  readonly jsonSchema?: {
    readonly input?: (options: { target: string }) => Record<string, unknown>;
    readonly output?: (options: { target: string }) => Record<string, unknown>;
  };
}

/** Outcome of a validation. */
export type StandardResult =
  { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** One problem of a validation. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The interface of a schema, or `undefined` where it has none. Some libraries' schemas are functions. */
export function standardOf(schema: unknown): StandardProps | undefined {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) {
    return undefined;
  }
  const props = (schema as { '~standard'?: unknown })['~standard'];
  return typeof props === 'object' && props !== null ? props : undefined;
}

/** Where an issue is, as `input.items[3].name`. */
export function issuePath(root: string, issue: Issue): string {
  let text = root;
  for (const step of issue.path ?? []) {
    const key = typeof step === 'object' ? step.key : step;
    text += typeof key === 'number' ? `[${key}]` : `.${String(key)}`;
  }
  return text;
}
