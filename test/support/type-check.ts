import { join } from 'node:path';
import ts from 'typescript';
import { root } from './repository';

/** Files of the disk: they stay the same from one check to the next. */
const parsed = new Map<string, ts.SourceFile>();

/**
 * Compiles texts as modules of this repository, under its own strict options, and gives what is wrong:
 * `name:line: message`. `globals` declares what the texts use and do not define.
 */
export function typeCheck(texts: Record<string, string>, globals: string): string[] {
  const options = strictOptions();
  const files = new Map(
    Object.entries({ ...texts, 'globals.mts': globals }).map(([name, text]) => [
      join(root, name.replace(/[^\w.]/g, '_')),
      { name, text },
    ]),
  );
  const host = ts.createCompilerHost(options);
  const disk = { ...host };
  host.fileExists = (path) => files.has(path) || disk.fileExists(path);
  host.readFile = (path) => files.get(path)?.text ?? disk.readFile(path);
  host.getSourceFile = (path, languageOptions, ...rest) => {
    const file = files.get(path);
    if (!file) {
      const known = parsed.get(path) ?? disk.getSourceFile(path, languageOptions, ...rest);
      if (known) parsed.set(path, known);
      return known;
    }
    // With a format, since the compiler would ask for the nearest package.json otherwise.
    return ts.createSourceFile(
      path,
      file.text,
      typeof languageOptions === 'object'
        ? { ...languageOptions, impliedNodeFormat: ts.ModuleKind.ESNext }
        : languageOptions,
      true,
    );
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
    const { file, start = 0 } = diagnostic;
    if (!file) return text;
    const { line } = file.getLineAndCharacterOfPosition(start);
    return `${files.get(file.fileName)?.name ?? file.fileName}:${line + 1}: ${text}`;
  });
}

function strictOptions(): ts.CompilerOptions {
  const read = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
  return { ...options, noEmit: true, declaration: false, sourceMap: false };
}
