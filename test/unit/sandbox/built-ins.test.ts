import { describe, expect, test } from '@jest/globals';
import { run } from './support';

// Two parts: what is there before, and the work inside built-ins that is done again and again.
const text = 'const big = "a".repeat(1e6), other = "a".repeat(1e6 - 1) + "b";';
const list = 'const list = Array.from({ length: 1e5 }, (_, i) => (i * 7919) % 100003);';
const bytes = 'const bytes = new Uint8Array(1e7), more = new Uint8Array(1e7);';
const object =
  'const entries = Array.from({ length: 2e4 }, (_, i) => ["k" + i, i]), object = Object.fromEntries(entries);';
const map =
  'const map = new Map(Array.from({ length: 1e5 }, (_, i) => [i, i])), set = new Set(map.keys());';

const works: [name: string, before: string, work: string][] = [
  ['String.indexOf', text, 'big.indexOf("b")'],
  ['String.indexOf of a long text', text, 'big.indexOf("a".repeat(5e5) + "b")'],
  ['String.includes', text, 'big.includes("ab")'],
  ['String.lastIndexOf', text, 'big.lastIndexOf("ba")'],
  ['String.split', 'const big = "a,".repeat(1e5);', 'big.split(",")'],
  ['String.split into characters', 'const big = "a,".repeat(1e5);', 'big.split("")'],
  ['String.repeat', '', '"ab".repeat(1e6)'],
  ['String.padStart', '', '"x".padStart(1e6, "ab")'],
  ['String.slice', text, 'big.slice(1)'],
  ['String.trim', 'const big = " ".repeat(1e6);', 'big.trim()'],
  ['String.replaceAll', 'const big = "ab".repeat(1e5);', 'big.replaceAll("a", "c")'],
  ['String.localeCompare', text, 'big.localeCompare(other)'],
  ['String.normalize', 'const big = "é".repeat(1e5);', 'big.normalize("NFD")'],
  ['String.toUpperCase', 'const big = "é".repeat(1e5);', 'big.toUpperCase()'],
  ['String.raw', 'const raw = new Array(6e4).fill("a");', 'String.raw({ raw })'],
  ['a chain of concatenations', 'let s = "a".repeat(1e6);', 's += "b"; s.charCodeAt(3)'],
  ['===', text, 'big === other'],
  ['<', text, 'big < other'],
  ['a long property name', text, '({})[big + n]'],
  ['encodeURIComponent', 'const big = "€".repeat(1e5);', 'encodeURIComponent(big)'],
  ['Number of a text', 'const big = "1".repeat(1e5);', 'Number(big)'],
  ['Number.toString', '', '(1e300 / (n + 1)).toString(3)'],
  ['Date.parse', 'const big = "Thu, 01 Jan 2026" + " ".repeat(1e6);', 'Date.parse(big)'],
  ['Array.sort', list, 'list.slice().sort()'],
  ['Array.sort with a comparison', list, 'list.slice().sort((a, b) => a - b)'],
  ['Array.indexOf', list, 'list.indexOf(-1)'],
  ['Array.includes over holes', 'const list = []; list.length = 1e7;', 'list.includes(1)'],
  ['Array.join', list, 'list.join("")'],
  ['Array.flat', 'const list = new Array(1e5).fill([1]);', 'list.flat()'],
  ['Array.fill', list, 'list.fill(1)'],
  ['Array.copyWithin', list, 'list.copyWithin(0, 1)'],
  ['Array.unshift', list, 'list.unshift(1); list.pop()'],
  ['Array.from', '', 'Array.from({ length: 1e5 })'],
  ['spread', list, '[...list]'],
  ['spread into arguments', 'const list = new Array(6e4).fill(1);', 'Math.max(...list)'],
  ['TypedArray.fill', bytes, 'bytes.fill(1)'],
  ['TypedArray.copyWithin', bytes, 'bytes.copyWithin(0, 1)'],
  ['TypedArray.set', bytes, 'bytes.set(more)'],
  ['TypedArray.indexOf', bytes, 'bytes.indexOf(1)'],
  [
    'TypedArray.sort',
    'const list = new Float64Array(1e5).map((_, i) => -i);',
    'list.slice().sort()',
  ],
  ['ArrayBuffer.slice', bytes, 'bytes.buffer.slice(0)'],
  ['new Uint8Array', '', 'new Uint8Array(1e7)'],
  ['new Map', map, 'new Map(map)'],
  ['Set.union', map, 'set.union(set)'],
  ['Array.from of a Set', map, 'Array.from(set)'],
  ['JSON.parse', 'const big = "[" + "1,".repeat(1e5) + "1]";', 'JSON.parse(big)'],
  ['JSON.stringify', list, 'JSON.stringify(list)'],
  [
    'JSON.stringify of what holds itself many times',
    'let many = [1]; for (let i = 0; i < 40; i++) many = [many, many];',
    'JSON.stringify(many)',
  ],
  ['Object.fromEntries', object, 'Object.fromEntries(entries)'],
  ['Object.keys', object, 'Object.keys(object)'],
  ['Object.assign', object, 'Object.assign({}, object)'],
  ['spread of an object', object, '({ ...object })'],
  ['Object.groupBy', list, 'Object.groupBy(list, () => "a")'],
  ['a regular expression that tracks back', '', '/^(?:[a-z]+_?)+$/.test("snake".repeat(7) + "-")'],
  ['a regular expression over a long text', text, '/b./.test(big)'],
  ['String.replace', 'const big = "ab".repeat(1e5);', 'big.replace(/a/g, "c")'],
  ['String.matchAll', 'const big = "ab".repeat(1e5);', '[...big.matchAll(/a/g)]'],
  ['a chain of Proxies', 'let p = {}; for (let i = 0; i < 1000; i++) p = new Proxy(p, {});', 'p.x'],
  [
    'a chain of prototypes',
    'let o = {}; for (let i = 0; i < 1e5; i++) o = Object.create(o);',
    'o.x',
  ],
  [
    'traps of a Proxy',
    `${list} const p = new Proxy({}, { ownKeys: () => list.map(String) });`,
    'Object.keys(p)',
  ],
  [
    'classes',
    'class A { constructor() { this.x = [1]; } get y() { return this.x; } }',
    'new A().y',
  ],
  ['Promise.all', 'const list = new Array(1e4).fill(1);', 'await Promise.all(list)'],
];

describe('FC-29: fuel is counted inside built-ins', () => {
  test.each(works)('%s ends at its limit, at the same turn each time', async (_, before, work) => {
    const body = `${before}\nfor (let n = 0; ; n++) { console.log(n);\n${work}; }`;
    // A tenth of what scripts get.
    const limits = { fuelPerTurn: 280_000_000 };
    const first = await run(body, { limits });
    expect(first.end).toMatchObject({ ok: false, error: { name: 'LimitError', limit: 'cpu' } });
    expect(first.end).not.toMatchObject({ error: { frames: [] } });
    const second = await run(body, { limits });
    expect([second.end, second.log]).toEqual([first.end, first.log]);
  });

  test.each([
    'try { "a".repeat(3e6).indexOf("a".repeat(1e6) + "b"); } catch { return 1; } finally { return 2; }',
    'try { await (async () => "a".repeat(3e6).indexOf("a".repeat(1e6) + "b"))(); } catch { return 1; }',
    'return { toJSON: () => "a".repeat(3e6).indexOf("a".repeat(1e6) + "b") };',
    'throw { get message() { return "a".repeat(3e6).indexOf("a".repeat(1e6) + "b"); } };',
    'throw new (class extends Error { get name() { for (;;); } })();',
    'Promise.reject({ get a() { for (;;); } }); await ask({});',
    'Promise.reject({ get a() { return "a".repeat(3e6).indexOf("a".repeat(1e6) + "b"); } }); await ask({});',
    'console.log({ get a() { return "a".repeat(3e6).indexOf("a".repeat(1e6) + "b"); } }); return 1;',
  ])('nothing in a script comes after it: %s', async (body) => {
    const { end } = await run(body, { limits: { fuelPerTurn: 100_000_000 } });
    expect(end).toMatchObject({ ok: false, error: { name: 'LimitError', limit: 'cpu' } });
  });
});
