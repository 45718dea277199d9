/**
 * Reads a YAML or JSON text that a person wrote, as a plain value with the position of every part. Limits protect
 * against hostile input: size, nesting, aliases; only tags of the core schema are resolved. Never throws.
 */
import { Composer, Lexer, LineCounter, Parser, type ParsedNode } from 'yaml';
import type { DocumentProblem } from './document-problem.ts';
import { asYaml, MAX_NESTING, offsetOf, Walk, type YamlFault, type ReadScalar } from './yaml-walk.ts';

export interface Source {
  readonly text: string;
  /** The name in errors: `plan.yaml`, `-`. */
  readonly file: string;
  readonly format: 'yaml' | 'json';
}

export interface Spot {
  readonly line: number;
  readonly col: number;
}

export type Located = Spot & { readonly text: string };

export interface SourceValue {
  readonly value: unknown;
  /** The position of a problem: its key or its value, else the nearest part around it. */
  locate(problem: Pick<DocumentProblem, 'path' | 'atKey'>): Spot;
  /** Problems of the text itself. */
  readonly problems: readonly Located[];
}

const MAX_LENGTH = 4 * 1024 * 1024;
/** At most this many syntax errors are reported; later ones usually follow from earlier ones. */
const MAX_ERRORS = 10;

const BRACES_AS_KEY = 'A key must be a text; a value that begins with {{ needs quotes.';

const OPTIONS = { prettyErrors: false, stringKeys: true, uniqueKeys: false, resolveKnownTags: false } as const;

/** Reads a text. If `problems` is not empty, the value must not be used. */
export function readSource({ text, format }: Source, readScalar: ReadScalar = asYaml): SourceValue {
  if (text.length > MAX_LENGTH) return unreadable([{ line: 1, col: 1, text: 'The file is larger than 4 MiB.' }]);
  const lines = new LineCounter();
  lines.addNewLine(0);
  const spotOf = (offset: number): Spot => lines.linePos(offset);
  const composed = compose(text, lines);
  const faults = 'faults' in composed ? composed.faults : [];
  const root = 'root' in composed ? composed.root : null;
  const walk = new Walk(readScalar);
  const value = faults.length > 0 ? undefined : walk.value(root);
  if (faults.length === 0) faults.push(...walk.faults);
  if (faults.length === 0 && format === 'json') faults.push(...jsonFaults(text));
  const problems = faults.map(({ offset, text: why }) => ({ ...spotOf(offset), text: why }));
  return { value, problems, locate: (problem) => spotOf(offsetOf(root, problem)) };
}

const unreadable = (problems: Located[]): SourceValue => ({
  value: undefined,
  problems,
  locate: () => ({ line: 1, col: 1 }),
});

/** Lexes, parses and composes, and checks the nesting meanwhile. */
function compose(text: string, lines: LineCounter): { root: ParsedNode | null } | { faults: YamlFault[] } {
  const parser = new Parser(lines.addNewLine);
  const tokens = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > MAX_NESTING + 2)
      return { faults: [{ offset: parser.offset, text: `This is nested deeper than ${MAX_NESTING} levels.` }] };
  }
  tokens.push(...parser.end());
  const documents = [...new Composer({ ...OPTIONS, schema: 'core', merge: false }).compose(tokens, true, text.length)];
  const [first, second] = documents;
  const errors = [...(first?.errors ?? []), ...(first?.warnings ?? [])].map(({ code, message, pos }) => ({
    offset: pos[0],
    text: code === 'NON_STRING_KEY' ? BRACES_AS_KEY : `${message}.`,
  }));
  const unquoted = unquotedBraces(text, errors);
  if (unquoted !== undefined) return { faults: [unquoted] };
  if (second) errors.push({ offset: second.range[0], text: 'Expected one YAML document, found several.' });
  return errors.length > 0 ? { faults: errors.slice(0, MAX_ERRORS) } : { root: first?.contents ?? null };
}

/** A `{{name}}` outside of quotes begins a map in a flow list or map: one fault, and its cure, for the errors it causes. */
function unquotedBraces(text: string, [first]: readonly YamlFault[]): YamlFault | undefined {
  if (first === undefined || first.text === BRACES_AS_KEY) return undefined;
  const from = text.lastIndexOf('\n', Math.max(0, first.offset - 1)) + 1;
  const end = text.indexOf('\n', first.offset);
  const line = text.slice(from, end < 0 ? undefined : end);
  const at = line.indexOf('{{');
  return at < 0 ? undefined : { offset: from + at, text: 'A value with {{ }} inside of { } or [ ] needs quotes.' };
}

/** YAML accepts more than JSON; a `.json` file must be valid JSON. */
function jsonFaults(text: string): YamlFault[] {
  try {
    JSON.parse(text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text);
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : 'unreadable';
    const offset = Number(/ at position ([0-9]+)/.exec(message)?.[1] ?? 0);
    return [{ offset, text: `This is not JSON: ${message.replaceAll(/\s/g, ' ')}.` }];
  }
}
