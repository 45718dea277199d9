/**
 * Reads a Markdown text with YAML front matter between two lines of `---`: the values, each with its position, and the
 * body.
 */
import { readSource, type SourceValue } from './yaml-source.ts';

interface FrontMatter {
  readonly head: SourceValue;
  /** The text after the front matter; the whole text if it has none. */
  readonly body: string;
}

const FENCED = /^---[ \t]*\r?\n([\s\S]*?\n)?---[ \t]*(?:\r?\n|$)/;

/** The YAML is read with the same limits as every file of a person; lines count from the file's first. */
export function readFrontMatter(text: string, file: string): FrontMatter {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const [whole = '', yaml = ''] = FENCED.exec(plain) ?? [];
  return {
    // The empty line replaces the first `---`, so that positions are those of the file.
    head: readSource({ text: `\n${yaml}`, file, format: 'yaml' }),
    body: plain.slice(whole.length).trim(),
  };
}
