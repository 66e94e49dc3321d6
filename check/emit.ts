import { encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec';
import { TraceMap, decodedMappings } from '@jridgewell/trace-mapping';
import ts from 'typescript';
import { markCalls } from './call-places';
import { markLoops } from './loop-marks';
import type { MappedText } from './mapped-text';
import type { SourceText } from './source-text';
import type { CompiledScript } from './types';

/** JavaScript of a wrapped script, with a source map to the text that was sent. */
export function emitScript(wrapped: MappedText, sent: SourceText): CompiledScript {
  const { outputText, sourceMapText } = ts.transpileModule(wrapped.text, {
    fileName: 'script.ts',
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
      sourceMap: true,
      newLine: ts.NewLineKind.LineFeed,
    },
    transformers: { before: [markCalls, markLoops] },
  });
  const code = outputText.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n');
  return { code, map: composeMap(sourceMapText ?? '', wrapped, sent) };
}

function composeMap(map: string, wrapped: MappedText, sent: SourceText): string {
  const lineStarts = [0];
  for (const match of wrapped.text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) {
    lineStarts.push(match.index + match[0].length);
  }
  const lines: SourceMapMappings = decodedMappings(new TraceMap(map)).map((segments) =>
    segments.flatMap((segment): SourceMapMappings[number] => {
      if (segment.length === 1) return [];
      const offset = (lineStarts[segment[2]] ?? 0) + segment[3];
      if (!wrapped.isOriginal(offset)) return [[segment[0]]];
      const { line, column } = sent.place(wrapped.originalOffset(offset));
      return [[segment[0], 0, line - 1, column - 1]];
    }),
  );
  return JSON.stringify({ version: 3, sources: ['script.ts'], names: [], mappings: encode(lines) });
}
