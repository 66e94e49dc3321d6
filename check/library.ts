import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** The parts of the standard library that the sandbox has. */
const parts = [
  'es5',
  ...['core', 'collection', 'generator', 'iterable', 'promise', 'proxy', 'reflect', 'symbol'].map(
    (name) => `es2015.${name}`,
  ),
  'es2015.symbol.wellknown',
  'es2016.array.include',
  ...['object', 'string', 'typedarrays', 'date', 'arraybuffer'].map((name) => `es2017.${name}`),
  ...['asyncgenerator', 'asynciterable', 'promise', 'regexp'].map((name) => `es2018.${name}`),
  ...['array', 'object', 'string', 'symbol'].map((name) => `es2019.${name}`),
  ...['promise', 'string', 'symbol.wellknown', 'number'].map((name) => `es2020.${name}`),
  ...['promise', 'string'].map((name) => `es2021.${name}`),
  ...['array', 'error', 'object', 'regexp', 'string'].map((name) => `es2022.${name}`),
  ...['array', 'collection'].map((name) => `es2023.${name}`),
  'decorators',
  'decorators.legacy',
];

/** Values that the standard library declares and scripts do not have. */
const missingValues = new Set([
  'eval',
  'ActiveXObject',
  'Function',
  'WeakRef',
  'FinalizationRegistry',
]);

const libraryFolder = dirname(require.resolve('typescript'));

/** The library's files, parsed once. Their text is TypeScript's own, less what scripts do not have. */
export function libraryFiles(): Map<string, ts.SourceFile> {
  const files = new Map<string, ts.SourceFile>();
  for (const part of parts) {
    const name = `/lib/lib.${part}.d.ts`;
    const text = readFileSync(join(libraryFolder, `lib.${part}.d.ts`), 'utf8');
    files.set(name, parseDeclarations(name, withoutMissing(text)));
  }
  return files;
}

export function parseDeclarations(name: string, text: string): ts.SourceFile {
  return ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
}

/** Blanks out what scripts do not have, and references, which the list of parts stands for. */
function withoutMissing(text: string): string {
  const plain = text.replace(/^\/\/\/ <reference .*$/gm, '');
  const file = parseDeclarations('lib.d.ts', plain);
  const cuts: ts.Node[] = [];
  for (const statement of file.statements) {
    if (ts.isFunctionDeclaration(statement) && missingValues.has(statement.name?.text ?? '')) {
      cuts.push(statement);
    } else if (ts.isVariableStatement(statement)) {
      const [declared] = statement.declarationList.declarations;
      if (declared && missingValues.has(declared.name.getText(file))) cuts.push(statement);
    } else if (ts.isModuleDeclaration(statement) && statement.name.text === 'Intl') {
      // The types stay, since signatures of toLocaleString name them; the values go.
      const body = statement.body;
      if (body && ts.isModuleBlock(body)) {
        cuts.push(...body.statements.filter((inner) => ts.isVariableStatement(inner)));
      }
    }
  }
  let result = plain;
  for (const node of cuts) {
    const blank = plain.slice(node.getStart(file), node.end).replace(/[^\n]/g, ' ');
    result = result.slice(0, node.getStart(file)) + blank + result.slice(node.end);
  }
  return result;
}
