import { repositoryFiles, textOf } from './repository';

/** A fenced block of a Markdown file. */
export interface Block {
  file: string;
  /** Line of the file on which the code begins. */
  line: number;
  language: string;
  /** What stands behind the language. */
  info: string;
  code: string;
}

/** All Markdown files of the repository. */
export function markdownFiles(): string[] {
  return repositoryFiles().filter((file) => file.endsWith('.md'));
}

/** The fenced blocks of a file, in order. */
export function blocksOf(file: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  const lines = textOf(file).split('\n');
  for (const [at, line] of lines.entries()) {
    const fence = /^\s*```(\S*)\s*(.*)$/.exec(line);
    if (!fence) {
      if (open) open.code += `${line}\n`;
    } else if (open) {
      blocks.push(open);
      open = undefined;
    } else {
      const [, language = '', info = ''] = fence;
      open = { file, line: at + 2, language, info, code: '' };
    }
  }
  if (open) throw new Error(`${file}: the block of line ${open.line} has no end`);
  return blocks;
}

/** The text of a file without its fenced blocks. */
export function proseOf(file: string): string {
  return textOf(file).replace(/^\s*```[\s\S]*?^\s*```/gm, '');
}
