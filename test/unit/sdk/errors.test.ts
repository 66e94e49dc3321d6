import { describe, expect, jest, test } from '@jest/globals';
import * as sdk from '@rewind.codes/sdk';
import { errorFromResponse } from '../../../sdk/errors/from-response';

type ErrorClass = (abstract new (...args: never[]) => Error) & {
  isInstance(this: void, value: unknown): boolean;
};

const classes = Object.entries(sdk).filter(
  (entry): entry is [string, ErrorClass & (typeof entry)[1]] =>
    typeof entry[1] === 'function' && (entry[1].prototype as unknown) instanceof Error,
);

/** A second copy of the package, as another dependency may bring it. */
function secondCopy(): typeof sdk {
  let copy: typeof sdk | undefined;
  jest.isolateModules(() => {
    copy = jest.requireActual('@rewind.codes/sdk');
  });
  if (!copy || copy.RewindError === sdk.RewindError) throw new Error('no second copy');
  return copy;
}

const details = {
  code: 'x',
  limit: 1,
  quota: 'runs',
  retryAfter: 1,
  diagnostics: [],
};
const make = (from: typeof sdk, name: string): Error =>
  new (from as unknown as Record<string, new (...args: unknown[]) => Error>)[name]!(
    'no',
    name === 'HostToolError' ? {} : details,
  );

describe('error classes', () => {
  test('there are fifteen, each named as it is exported', () => {
    expect(classes).toHaveLength(15);
    for (const [name] of classes) expect(make(sdk, name).name).toBe(name);
  });

  test.each(classes)('%s is told by isInstance and instanceof, across copies too', (name, own) => {
    const copy = secondCopy();
    const foreign = make(copy, name);
    expect(own.isInstance(make(sdk, name))).toBe(true);
    expect(own.isInstance(foreign)).toBe(true);
    expect(foreign instanceof own).toBe(true);
    const { isInstance } = own; // as a callback
    for (const other of [undefined, null, 1, {}, new Error('x'), { name }]) {
      expect(isInstance(other)).toBe(false);
      expect((other as unknown) instanceof own).toBe(false);
    }
  });

  test.each(classes)('%s is no instance of a class beside or below it', (name) => {
    const parents: Record<string, string> = {
      NamespaceRequiredError: 'BadRequestError',
      RunEndedError: 'ConflictError',
    };
    const error = make(sdk, name);
    const expected = new Set([name, parents[name] ?? name, 'RewindError']);
    if (name === 'HostToolError') expected.delete('RewindError');
    const told = classes.filter(([, other]) => other.isInstance(error)).map(([other]) => other);
    expect(new Set(told)).toEqual(expected);
  });

  test('a class that somebody derives has its own instanceof', () => {
    class Special extends sdk.NotFoundError {}
    const plain = new sdk.NotFoundError('no', { code: 'not_found' });
    expect((plain as Error) instanceof Special).toBe(false);
    const special = new Special('no', { code: 'not_found' });
    expect([special instanceof Special, special instanceof sdk.NotFoundError]).toEqual([
      true,
      true,
    ]);
  });

  test('a proxy that throws is no instance of anything', () => {
    const proxy: unknown = new Proxy(
      {},
      {
        get() {
          throw new Error('no');
        },
      },
    );
    expect(sdk.HostToolError.isInstance(proxy)).toBe(false);
  });
});

describe('errors of responses', () => {
  const of = (status: number, error: object): sdk.RewindError =>
    errorFromResponse({ status, body: JSON.stringify({ error }), requestId: 'req_header' });

  test.each([
    [400, 'invalid_request', 'BadRequestError'],
    [400, 'namespace_required', 'NamespaceRequiredError'],
    [401, 'unauthenticated', 'AuthenticationError'],
    [403, 'forbidden', 'PermissionError'],
    [404, 'not_found', 'NotFoundError'],
    [405, 'method_not_allowed', 'BadRequestError'],
    [408, 'request_timeout', 'ConnectionError'],
    [409, 'idempotency_conflict', 'ConflictError'],
    [409, 'run_ended', 'RunEndedError'],
    [409, 'already_answered', 'ConflictError'],
    [409, 'claim_lost', 'ConflictError'],
    [413, 'too_large', 'TooLargeError'],
    [415, 'unsupported_media_type', 'BadRequestError'],
    [422, 'script_refused', 'ScriptRefusedError'],
    [429, 'quota_reached', 'QuotaError'],
    [429, 'rate_limited', 'RateLimitError'],
    [500, 'internal', 'ServerError'],
    [503, 'unavailable', 'ServerError'],
    [404, 'a_code_of_a_later_server', 'NotFoundError'],
    [418, 'a_code_of_a_later_server', 'RewindError'],
  ])('%i %s is a %s', (status, code, name) => {
    const error = of(status, { code, message: 'said so' });
    expect(error).toMatchObject({
      name,
      code,
      status,
      message: 'said so',
      requestId: 'req_header',
    });
  });

  test('carries what the body says: field, limit, runId, quota, retryAfter, diagnostics', () => {
    const message = 'no';
    const diagnostics = [{ line: 1, column: 2, code: 'TS1', message, frame: '' }];
    expect(of(400, { code: 'invalid_request', message, field: 'ttl' })).toMatchObject({
      field: 'ttl',
    });
    expect(of(409, { code: 'idempotency_conflict', message, runId: 'run_1' })).toMatchObject({
      runId: 'run_1',
    });
    expect(of(413, { code: 'too_large', message, limit: 5 })).toMatchObject({ limit: 5 });
    expect(of(422, { code: 'script_refused', message, diagnostics })).toMatchObject({
      diagnostics,
    });
    expect(of(429, { code: 'quota_reached', message, quota: 'runs', limit: 1000 })).toMatchObject({
      quota: 'runs',
      limit: 1000,
    });
    expect(of(429, { code: 'rate_limited', message, retryAfter: 7 })).toMatchObject({
      retryAfter: 7,
    });
    expect(of(500, { code: 'internal', message, requestId: 'req_body' })).toMatchObject({
      requestId: 'req_body',
    });
  });

  test.each(['', '<html>Bad gateway', '{"error":"text"}', '[]', '{"message":"x"}'])(
    'a body that nobody knows (%j) gives the error of the status',
    (body) => {
      expect(errorFromResponse({ status: 502, body })).toMatchObject({
        name: 'ServerError',
        code: 'http_502',
        status: 502,
      });
    },
  );
});

describe('HostToolError', () => {
  test('HT-16: takes message and data; it is not retryable unless it says so', () => {
    const error = new sdk.HostToolError('no customer', { data: { code: 'not_found' } });
    expect(error).toMatchObject({
      message: 'no customer',
      data: { code: 'not_found' },
      retryable: false,
    });
    expect(error).toBeInstanceOf(Error);
    expect(error.retryAfter).toBeUndefined();
  });

  test('a retryAfter that is no duration is refused', () => {
    const retryAfter = '30' as '30s';
    expect(() => new sdk.HostToolError('x', { retryable: true, retryAfter })).toThrow(/retryAfter/);
  });
});
