import { expect, test } from '@jest/globals';
import { textPage } from '../../../../gateway/temporal/text-page';
import { renderOutput } from '../../../../sdk/protocol';

test('printable text is shown as it is, everything else as compact JSON', () => {
  expect(renderOutput(JSON.parse('"line 1\\nline 2\\t."'))).toBe('line 1\nline 2\t.');
  expect(renderOutput(JSON.parse('{ "a": [1, 2] }'))).toBe('{"a":[1,2]}');
  expect(renderOutput(JSON.parse('"bell \\u0007"'))).toBe('"bell \\u0007"');
  expect(renderOutput(JSON.parse('null'))).toBe('null');
});

test('the pages of a text give it back whole, whatever the limit, and never cut a character', () => {
  const text = 'añ€😀'.repeat(50);
  for (const limit of [1, 2, 3, 5, 7, 64, 10_000]) {
    let offset: number | undefined = 0;
    let whole = '';
    while (offset !== undefined) {
      const page = textPage(text, { offset, limit });
      expect(page.offset).toBe(offset);
      expect(page.text).not.toContain('\ufffd');
      whole += page.text;
      offset = page.nextOffset;
    }
    expect(whole).toBe(text);
  }
});

test('an offset inside a character begins with it, one past the end gives the empty end', () => {
  expect(textPage('😀x', { offset: 2, limit: 100 })).toEqual({ text: '😀x', offset: 0, total: 5 });
  expect(textPage('ab', { offset: 1e15, limit: 100 })).toEqual({ text: '', offset: 2, total: 2 });
});

test('a page has at most 32,768 lines', () => {
  const page = textPage('x\n'.repeat(40_000), { offset: 0, limit: 1_000_000 });
  expect(page.text.split('\n')).toHaveLength(32_769);
  expect(page.nextOffset).toBe(65_536);
});
