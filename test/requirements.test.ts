import { expect, test } from '@jest/globals';
import ts from 'typescript';
import ids from './documents/requirement-ids.json';
import { requirements } from './requirements';
import { repositoryFiles, textOf } from './support/repository';

/** Promises that nothing shows yet. Whoever shows one takes it out of here. */
const later: string[] = [
  'HT-80',
  'AT-03',
  'AT-05',
  'AT-07',
  'AT-31',
  'AT-33',
  'AT-35',
  'AT-38',
  ...idsFrom('AT-41', 'AT-51'),
  ...idsFrom('HN-01', 'HN-28'),
];

/** Titles of the tests of every test file, by path. Of `test.each` the title as it is written. */
const titles = new Map(
  repositoryFiles()
    .filter((file) => file.startsWith('test/') && file.endsWith('.test.ts'))
    .map((file) => [file, titlesOf(file, textOf(file))]),
);

test('every requirement of the documents is in the manifest once, and nothing else is', () => {
  expect(requirements.map(({ id }) => id)).toEqual(ids);
  expect(new Set(ids).size).toBe(160);
});

test('every requirement says in words what it promises', () => {
  expect(requirements.filter(({ text }) => text.trim().length < 15)).toEqual([]);
});

test('every requirement cites a test, or is one of those that come later', () => {
  const unshown = requirements.filter(({ shownBy }) => shownBy === 'later' || shownBy.length === 0);
  expect(unshown.filter(({ id }) => !later.includes(id)).map(({ id }) => id)).toEqual([]);
});

test('what is shown is not said to come later', () => {
  const shown = requirements.filter(({ shownBy }) => shownBy !== 'later').map(({ id }) => id);
  expect(shown.filter((id) => later.includes(id))).toEqual([]);
});

test('every cited test exists, and its title names the requirement', () => {
  const wrong = citations().filter(({ id, file, title }) => {
    return !titles.get(file)?.includes(title) || !idsIn(title).includes(id);
  });
  expect(wrong).toEqual([]);
});

test('every test that names a requirement is cited for it', () => {
  const cited = new Set(citations().map(({ id, file, title }) => `${id} ${file}: ${title}`));
  const known = new Set(ids);
  const missing: string[] = [];
  for (const [file, list] of titles) {
    if (file === 'test/requirements.test.ts') continue;
    for (const title of list) {
      for (const id of idsIn(title)) {
        const citation = `${id} ${file}: ${title}`;
        if (!known.has(id)) missing.push(`there is no ${citation}`);
        else if (!cited.has(citation)) missing.push(citation);
      }
    }
  }
  expect(missing).toEqual([]);
});

test('no test is skipped, left to do, or run alone', () => {
  const marked = [...titles.keys()].filter((file) =>
    /\b(test|it|describe)(\.\w+)*\.(skip|todo|only|failing)\b|\b[xf](test|it|describe)\(/.test(
      file === 'test/requirements.test.ts' ? '' : textOf(file),
    ),
  );
  expect(marked).toEqual([]);
});

test('titles are read however a test is written', () => {
  const text = `
    test('one', () => {}); it("two", () => {}); test(\`three\`, () => {});
    describe('a group', () => { test.each([1, 2])('four %s', () => {}); });
    test.failing('five', () => {}); later('none'); // test('none')
  `;
  expect(titlesOf('x.test.ts', text)).toEqual(['one', 'two', 'three', 'four %s', 'five']);
  expect(idsIn('HT-01, AT-02 and HT-07 to HT-09')).toEqual([
    'HT-01',
    'AT-02',
    'HT-07',
    'HT-08',
    'HT-09',
  ]);
});

function citations(): { id: string; file: string; title: string }[] {
  return requirements.flatMap(({ id, shownBy }) =>
    shownBy === 'later'
      ? []
      : shownBy.map((citation) => {
          const at = citation.indexOf(': ');
          return { id, file: citation.slice(0, at), title: citation.slice(at + 2) };
        }),
  );
}

function titlesOf(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [title] = node.arguments;
      const called = node.expression.getText();
      if (title && ts.isStringLiteralLike(title) && /^(test|it)\b/.test(called)) {
        found.push(title.text);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true));
  return found;
}

/** Ids that a title names; `HT-21 to HT-29` names all between. */
function idsIn(title: string): string[] {
  const named = title.matchAll(/\b((?:HT|AT|HN)-\d\d)(?: to ((?:HT|AT|HN)-\d\d))?/g);
  return [...named].flatMap(([, first = '', last]) => idsFrom(first, last ?? first));
}

function idsFrom(first: string, last: string): string[] {
  const [kind] = first.split('-');
  const from = Number(first.slice(3));
  return Array.from(
    { length: Number(last.slice(3)) - from + 1 },
    (_, at) => `${kind}-${String(from + at).padStart(2, '0')}`,
  );
}
