import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { inspect } from 'node:util';
import { BadRequestError, Rewind, RewindError } from '@rewind.codes/sdk';
import { FakeServer } from './support/fake-server';

const { REWIND_API_KEY, REWIND_BASE_URL } = process.env;

beforeEach(() => {
  delete process.env['REWIND_API_KEY'];
  delete process.env['REWIND_BASE_URL'];
});

afterEach(() => {
  if (REWIND_API_KEY !== undefined) process.env['REWIND_API_KEY'] = REWIND_API_KEY;
  if (REWIND_BASE_URL !== undefined) process.env['REWIND_BASE_URL'] = REWIND_BASE_URL;
});

const thrownBy = (action: () => unknown): Error => {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
};

describe('new Rewind()', () => {
  test('HT-10: takes its key and address from the environment, a line break at the end of the key ignored', async () => {
    process.env['REWIND_API_KEY'] = 'rw_environment\n';
    process.env['REWIND_BASE_URL'] = 'https://rewind.example.com/base/';
    const urls: string[] = [];
    const server = new FakeServer();
    const rewind = new Rewind({
      fetch: (input, init) => {
        urls.push(input as string);
        return server.fetch(input, init);
      },
    });
    await rewind.toolsets.retrieve('ts_12345678');
    expect(urls).toEqual(['https://rewind.example.com/base/v1/toolsets/ts_12345678']);
    expect(server.requests[0]?.headers.get('authorization')).toBe('Bearer rw_environment');
  });

  test('without any credential it throws and says how to get one', () => {
    const error = thrownBy(() => new Rewind());
    expect(RewindError.isInstance(error)).toBe(true);
    expect(error.message).toMatch(/REWIND_API_KEY/);
    expect(error.message).toMatch(/new Rewind\(\{ apiKey \}\)/);
    expect(error.message).toMatch(/new Rewind\(\{ token \}\)/);
  });

  test('a key and a token together are refused', () => {
    expect(() => new Rewind({ apiKey: 'a', token: 'b' })).toThrow(/not both/);
  });

  test('a token is used instead of REWIND_API_KEY', async () => {
    process.env['REWIND_API_KEY'] = 'rw_environment';
    const server = new FakeServer();
    const rewind = new Rewind({ token: 'user-token', fetch: server.fetch });
    await rewind.toolsets.retrieve('ts_12345678');
    expect(server.requests[0]?.headers.get('authorization')).toBe('Bearer user-token');
  });

  test.each(['rw_sécret', 'rw secret', 'rw_secret\r\nx: y'])(
    'a credential that no header can hold is refused without being shown (%j)',
    (apiKey) => {
      const error = thrownBy(() => new Rewind({ apiKey }));
      expect(error.message).toMatch(/apiKey/);
      expect(inspect(error)).not.toMatch(/s[ée]cret/);
    },
  );

  test.each([
    ['not a url', /not a URL/],
    ['ftp://example.com', /http/],
    ['https://ada:hunter2@example.com', /password/],
    ['https://example.com?key=hunter2', /query/],
  ])('baseURL %s is refused without showing what is secret in it', (baseURL, message) => {
    const error = thrownBy(() => new Rewind({ apiKey: 'k', baseURL }));
    expect(error.message).toMatch(message);
    expect(inspect(error)).not.toMatch(/hunter2/);
  });

  test('wrong options are named: timeout, maxRetries', () => {
    expect(() => new Rewind({ apiKey: 'k', timeout: '60' as '60s' })).toThrow(/timeout/);
    expect(() => new Rewind({ apiKey: 'k', maxRetries: -1 })).toThrow(/maxRetries/);
  });
});

describe('namespace()', () => {
  test.each(['', 'a\u0000b', 'x'.repeat(201), '\ud800'])(
    '%j is refused before any request',
    (id) => {
      const error = thrownBy(() => new FakeServer().client().namespace(id));
      expect(BadRequestError.isInstance(error)).toBe(true);
    },
  );

  test('makes no request, and all of its requests carry the namespace, percent-encoded', async () => {
    const server = new FakeServer();
    const ada = server.client().namespace('Ada Lovelace/ø');
    expect(server.requests).toHaveLength(0);
    await ada.runs.retrieve('run_12345678');
    await ada.toolsets.retrieve('ts_12345678');
    for (const { headers } of server.requests) {
      expect(headers.get('rewind-namespace')).toBe('Ada%20Lovelace%2F%C3%B8');
    }
    await server.client().runs.retrieve('run_12345678');
    expect(server.requests[2]?.headers.has('rewind-namespace')).toBe(false);
  });
});
