import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BadRequestError, type TextPage } from '@rewind.codes/sdk';
import { startStage, type Stage } from './stage';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

/** Follows `nextOffset` to the end. */
async function whole(read: (offset: number) => Promise<TextPage>): Promise<TextPage[]> {
  const pages: TextPage[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page: TextPage = await read(offset);
    expect(page.offset).toBe(offset);
    pages.push(page);
    offset = page.nextOffset;
  }
  return pages;
}

const textOf = (pages: TextPage[]) => pages.map(({ text }) => text).join('');

describe('output', () => {
  test.each([
    ['text with characters of every length', 'aé€😀 '.repeat(60), 'aé€😀 '.repeat(60)],
    ['JSON', { list: ['é', '😀', null, 1.5] }, '{"list":["é","😀",null,1.5]}'],
    ['text with a control character, as JSON', 'a\u0007b', '"a\\u0007b"'],
    ['text with line breaks and tabs', 'a\n\tb\r\n', 'a\n\tb\r\n'],
    ['no text', '', ''],
    ['nothing', null, 'null'],
  ])('pages of 7 bytes of %s give the whole', async (_, value, expected) => {
    const { id, output } = await stage.run('return input;', { input: value });
    expect(output).toEqual(value);
    const pages = await whole((offset) => stage.runs().output(id, { offset, limit: 7 }));
    expect(textOf(pages)).toBe(expected);
    for (const { text, total } of pages) {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(7);
      expect(total).toBe(Buffer.byteLength(expected));
    }
  });

  test('without a limit all of a megabyte comes, in parts of whole lines', async () => {
    const script = 'return Array.from({ length: 40_000 }, (_, n) => `line ${n}`).join("\\n");';
    const { id, output } = await stage.run(script);
    const pages = await whole((offset) => stage.runs().output(id, { offset }));
    expect(textOf(pages)).toBe(output);
    expect(pages).toHaveLength(2);
    expect(pages[0]!.text.endsWith('\n')).toBe(true);
  });

  test('an offset beyond the end gives an empty end', async () => {
    const { id } = await stage.run('return "abc";');
    expect(await stage.runs().output(id, { offset: 99 })).toEqual({
      text: '',
      offset: 3,
      total: 3,
    });
  });

  test('a run that has none says which state it is in', async () => {
    const failed = await stage.run('throw new Error("no");');
    await expect(stage.runs().output(failed.id)).rejects.toThrow(/has no output: it is failed/);
    const { id } = await stage.create('await waitForSignal("go");');
    await expect(stage.runs().output(id)).rejects.toBeInstanceOf(BadRequestError);
    await stage.runs().cancel(id);
  });

  test('one larger than the limit fails the run and names the limit', async () => {
    const run = await stage.run('return "x".repeat(1_100_000);');
    expect(run).toMatchObject({
      state: 'failed',
      error: { name: 'LimitError', code: 'limit', limit: 'output' },
    });
    expect(run.error?.message).toContain('1048576 bytes');
  });
});

describe('log', () => {
  test('what each console method is given is a line, of an open run and of an ended one', async () => {
    const script = `
      console.log("a", 1, { b: [true, null] }, [undefined]);
      console.info("é"); console.debug("two\\nlines");
      console.warn("careful"); console.error(new TypeError("no"));
      await waitForSignal("go");
      console.log("end");`;
    const { id } = await stage.create(script);
    await stage.runs().retrieve(id, { wait: '20s' });
    const lines = [
      'a 1 {b: [true, null]} [undefined]',
      'é',
      'two',
      'lines',
      'warn: careful',
      'error: TypeError: no',
    ];
    const open = await stage.runs().log(id);
    expect(open.text).toBe(lines.map((line) => `${line}\n`).join(''));
    await stage.runs().signal(id, 'go');
    await stage.runs().wait(id);
    const pages = await whole((offset) => stage.runs().log(id, { offset, limit: 5 }));
    expect(textOf(pages)).toBe(`${open.text}end\n`);
  });

  test('only the last 64 KiB are kept, in whole lines, and what is dropped is counted', async () => {
    const script = 'for (let n = 0; n < 5000; n++) console.log("line number " + n);';
    const { id } = await stage.run(script);
    const { text, total } = await stage.runs().log(id);
    expect(total).toBeLessThanOrEqual(64 * 1024 + 100);
    expect(total).toBeGreaterThan(60 * 1024);
    const [first, ...rest] = text.trimEnd().split('\n');
    expect(rest.at(-1)).toBe('line number 4999');
    const dropped = 5000 - rest.length;
    expect(first).toBe(`… ${dropped} earlier lines were dropped`);
    expect(rest[0]).toBe(`line number ${dropped}`);
  });

  test('a canceled and an expired run keep theirs', async () => {
    const script = 'console.log("begun"); await waitForSignal("go");';
    const canceled = await stage.create(script);
    await stage.runs().retrieve(canceled.id, { wait: '20s' });
    await stage.runs().cancel(canceled.id);
    const expired = await stage.run(script, { ttl: '1s' });
    for (const { id } of [canceled, expired]) {
      expect((await stage.runs().log(id)).text).toBe('begun\n');
    }
  });
});
