import ts from 'typescript';
import { rewindGlobals, rewindModule } from './ambient';
import { libraryFiles, parseDeclarations } from './library';
import type { MappedText } from './mapped-text';
import type { Problem } from './syntax';

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.CommonJS,
  moduleDetection: ts.ModuleDetectionKind.Force,
  strict: true,
  // A script is refused for what would go wrong, never for style (see `check`).
  noImplicitThis: false,
  strictPropertyInitialization: false,
  allowUnreachableCode: true,
  allowUnusedLabels: true,
  noLib: true,
  noEmit: true,
  skipLibCheck: true,
  skipDefaultLibCheck: true,
  types: [],
  ignoreDeprecations: '6.0',
};

const MODULE_FILE = '/rewind.d.ts';

/** Type-checks wrapped scripts. Keeps the standard library parsed, and the declarations of recent scopes. */
export class TypeChecker {
  private readonly fixed: Map<string, ts.SourceFile>;
  private readonly roots: string[];

  constructor() {
    this.fixed = libraryFiles();
    this.fixed.set(MODULE_FILE, parseDeclarations(MODULE_FILE, rewindModule));
    this.fixed.set('/globals.d.ts', parseDeclarations('/globals.d.ts', rewindGlobals));
    this.roots = [...this.fixed.keys()];
  }

  /**
   * Problems at offsets of the text that was sent. `const list = []` can be pushed to only under
   * `noImplicitAny`, and `let x;` can be set in a callback only without it: a script may do both, so
   * what only one of the two readings refuses is none.
   */
  check(wrapped: MappedText, declarations: ts.SourceFile): Problem[] {
    const problems = this.read(wrapped, declarations, true);
    if (problems.length === 0) return [];
    const places = new Set(this.read(wrapped, declarations, false).map(({ start }) => start));
    return problems.filter(({ start }) => places.has(start));
  }

  private read(
    wrapped: MappedText,
    declarations: ts.SourceFile,
    noImplicitAny: boolean,
  ): Problem[] {
    const script = ts.createSourceFile('/script.ts', wrapped.text, ts.ScriptTarget.ES2022, true);
    const program = ts.createProgram({
      rootNames: [...this.roots, declarations.fileName, '/script.ts'],
      options: { ...options, noImplicitAny },
      host: this.host(
        new Map([
          ['/script.ts', script],
          [declarations.fileName, declarations],
        ]),
      ),
    });
    const found = [
      ...program.getSyntacticDiagnostics(script),
      ...program.getSemanticDiagnostics(script),
    ];
    return found.flatMap((diagnostic) => problemOf(diagnostic, wrapped));
  }

  private host(own: Map<string, ts.SourceFile>): ts.CompilerHost {
    const file = (name: string) => own.get(name) ?? this.fixed.get(name);
    return {
      getSourceFile: file,
      fileExists: (name) => file(name) !== undefined,
      readFile: (name) => file(name)?.text,
      getDefaultLibFileName: () => '/lib/lib.es5.d.ts',
      getCurrentDirectory: () => '/',
      getCanonicalFileName: (name) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
      writeFile: () => undefined,
      resolveModuleNameLiterals: (literals) =>
        literals.map(({ text }) => ({
          resolvedModule:
            text === 'rewind'
              ? {
                  resolvedFileName: MODULE_FILE,
                  extension: ts.Extension.Dts,
                  isExternalLibraryImport: false,
                }
              : undefined,
        })),
    };
  }
}

function problemOf(diagnostic: ts.Diagnostic, wrapped: MappedText): Problem[] {
  if (diagnostic.start === undefined) return [];
  const start = wrapped.originalOffset(diagnostic.start);
  return [
    {
      start,
      length: Math.max(diagnostic.length ?? 1, 1),
      code: `TS${diagnostic.code}`,
      message: ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'),
    },
  ];
}
