/** A Markdown text with YAML between two lines of `---` at its head: the values, each with its place, and the body. */
import { readSource, type SourceValue } from './yaml-source.ts';

export interface FrontMatter {
  readonly head: SourceValue;
  /** Everything behind the front matter; all of a text that has none. */
  readonly body: string;
}

const FENCED = /^---[ \t]*\r?\n([\s\S]*?\n)?---[ \t]*(?:\r?\n|$)/;

/** The YAML goes through the bounded reader of every other file of a person's; lines count from the file's first. */
export function readFrontMatter(text: string, file: string): FrontMatter {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const [whole = '', yaml = ''] = FENCED.exec(plain) ?? [];
  return {
    // The empty line stands for the first `---`, so that places are those of the file.
    head: readSource({ text: `\n${yaml}`, file, format: 'yaml' }),
    body: plain.slice(whole.length).trim(),
  };
}
