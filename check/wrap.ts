import ts from 'typescript';
import { MappedText } from './mapped-text';
import { isDefaultExport, modifiersOf } from './rules';
import type { ParsedScript } from './syntax';

/** Holds the default export's value inside the function that the script becomes. */
const DEFAULT = '__rewindDefault';

/**
 * The script as one async function of a module, checked and emitted as that: imports stay outside,
 * everything else goes inside, where `return` and `await` are at home and checked in full. Every
 * piece knows where it stood in the text that was sent.
 */
export function wrapScript({ file, range }: ParsedScript): MappedText {
  const wrapped = new MappedText();
  const source = file.text;
  const piece = (start: number, end: number) =>
    wrapped.original(source.slice(start, end), range.start + start);

  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    piece(statement.getStart(file), statement.end);
    wrapped.own(';\n');
  }
  wrapped.own('export default async function () {\n');
  let at = 0;
  let output: string | undefined;
  for (const statement of file.statements) {
    const start = statement.getStart(file);
    if (ts.isImportDeclaration(statement)) {
      piece(at, start);
      at = statement.end;
    } else if (isDefaultExport(statement)) {
      piece(at, start);
      const value = bodyStart(file, statement);
      const name = declaredName(statement);
      output = name ?? DEFAULT;
      if (name === undefined) wrapped.own(`const ${DEFAULT} = `);
      piece(value, statement.end);
      if (!source.slice(value, statement.end).endsWith(';')) wrapped.own(';');
      at = statement.end;
    } else if (modifiersOf(statement).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) {
      piece(at, start);
      at = bodyStart(file, statement);
    }
  }
  piece(at, source.length);
  if (output !== undefined) {
    wrapped.own(`\nconst __rewindValue: any = ${output};`);
    wrapped.own(
      '\nreturn typeof __rewindValue === "function" ? __rewindValue(input) : __rewindValue;',
    );
  }
  wrapped.own('\n}\n');
  return wrapped;
}

/** Where the statement goes on behind `export`, `export default` or `export =`. */
function bodyStart(file: ts.SourceFile, statement: ts.Statement): number {
  if (ts.isExportAssignment(statement)) return statement.expression.getStart(file);
  const words = modifiersOf(statement).filter(
    ({ kind }) => kind === ts.SyntaxKind.ExportKeyword || kind === ts.SyntaxKind.DefaultKeyword,
  );
  const last = words.at(-1)?.end ?? statement.getStart(file);
  return last + (/^\s*/.exec(file.text.slice(last))?.[0].length ?? 0);
}

function declaredName(statement: ts.Statement): string | undefined {
  const declared = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  return declared ? statement.name?.text : undefined;
}
