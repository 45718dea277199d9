/**
 * The tools read_file, write_file and edit_file. A path is resolved first, judged by the real path, and only then
 * opened.
 */
import type { ToolImage } from '../../agents/agent-contract.ts';
import { UsageError } from '../../model/text/errors.ts';
import { quoted } from '../../model/text/document-problem.ts';
import type { ToolInputs } from '../../model/team/tool.ts';
import type { ToolOutputs } from '../../model/team/tool-output.ts';
import { DEFAULT_LINES, PAGE_BYTES, type WorkspaceTool } from '../../model/team/workspace-tool.ts';
import { protectedBy, type FileAccess } from '../../policy/sandbox/workspace-path.ts';
import type { Page } from '../../store/files/line-page.ts';
import { locate, type ResolvedPath } from '../../store/workspace/resolved-path.ts';
import { readImage } from '../../store/workspace/workspace-image.ts';
import type { ToolResult } from './tool-answer.ts';
import { changeText, listed, readPage, writeText } from '../../store/workspace/workspace-text.ts';

/** Entries of a directory that are shown. */
const MOST_NAMES = 1_000;
/** Bytes of an answer besides its page. */
const FRAME = 1_024;
/** Places of an ambiguous text that are listed. */
const MOST_PLACES = 10;

/** @throws UsageError `POLICY_DENIED` naming the rule, for the path as given and for the real path */
function placeFor(root: string, path: string, command: FileAccess): ResolvedPath {
  const place = locate(root, path);
  const rule = protectedBy(place.asked, command) ?? protectedBy(place.path, command);
  if (rule === undefined) return place;
  const what = command === 'read' ? 'neither read nor written' : 'not written';
  throw new UsageError('POLICY_DENIED', `${quoted(path)} is ${what} by this tool (rule: protected paths, ${rule}).`);
}

type FileResult<T extends WorkspaceTool> = ToolResult<ToolOutputs[T]>;

type Refuses = (path: string) => string | undefined;

/** @throws UsageError `POLICY_DENIED` */
function writable(place: ResolvedPath, refuses: Refuses): ResolvedPath {
  const why = refuses(place.path);
  if (why !== undefined) throw new UsageError('POLICY_DENIED', why);
  return place;
}

/** @param most bytes that the answer may have */
export function readFileTool(
  root: string,
  input: ToolInputs['read_file'],
  most = PAGE_BYTES + FRAME,
): FileResult<'read_file'> {
  const place = placeFor(root, input.path, 'read');
  const names = listed(place);
  const { offset: from = 1, limit: lines = DEFAULT_LINES } = input;
  const text =
    names === undefined
      ? pageText(place, from, readPage(place, { from, lines, bytes: Math.min(PAGE_BYTES, most - FRAME) }))
      : directoryText(place, names);
  return { text, data: { path: place.path, content: text } };
}

/** @returns undefined if it is no image */
export function showImageTool(
  root: string,
  input: ToolInputs['read_file'],
): (FileResult<'read_file'> & { image: ToolImage }) | undefined {
  const place = placeFor(root, input.path, 'read');
  if (listed(place) !== undefined) return undefined;
  const image = readImage(place);
  if (image === undefined) return undefined;
  const { mediaType, bytes } = image;
  const text = `${quoted(place.path)} is an image (${mediaType}, ${Math.ceil(bytes.length / 1_024)} KB).`;
  const data = { path: place.path, content: text };
  return { text, data, image: { mediaType, base64: bytes.toString('base64') } };
}

function directoryText({ path }: ResolvedPath, names: readonly string[]): string {
  const open = names.filter((name) => protectedBy(`${path}/${name.replace(/\/$/, '')}`, 'read') === undefined);
  const shown = open.slice(0, MOST_NAMES).join('\n');
  const rest = open.length > MOST_NAMES ? `\n[${open.length - MOST_NAMES} more names]` : '';
  return open.length === 0 ? `The directory ${quoted(path)} is empty.` : `${shown}${rest}`;
}

function pageText({ path }: ResolvedPath, from: number, { lines, total }: Page): string {
  if (total === 0) return `${quoted(path)} is empty.`;
  if (lines.length === 0)
    throw new UsageError('USAGE', `${quoted(path)} has ${total} lines; line ${from} does not exist.`);
  const last = from + lines.length - 1;
  const text = lines.map((line, at) => `${String(from + at).padStart(6)}\t${line}`).join('\n');
  return last === total ? text : `${text}\n[Lines ${from} to ${last} of ${total}. Go on with offset ${last + 1}.]`;
}

/** @param refuses says why a real path may not be written now */
export function writeFileTool(
  root: string,
  { path, content }: ToolInputs['write_file'],
  refuses: Refuses = () => undefined,
): FileResult<'write_file'> {
  const place = writable(placeFor(root, path, 'write'), refuses);
  if (place.path === '') throw new UsageError('USAGE', `${quoted(path)} is a directory.`);
  const { replaced } = writeText(place, content);
  const bytes = Buffer.byteLength(content);
  return {
    text: `${replaced ? 'Replaced' : 'Created'} ${place.path} (${bytes} bytes).`,
    data: { path: place.path, bytes, replaced },
  };
}

export function editFileTool(
  root: string,
  input: ToolInputs['edit_file'],
  refuses: Refuses = () => undefined,
): FileResult<'edit_file'> {
  const { path, old_text, new_text, replace_all = false } = input;
  if (old_text === new_text) throw new UsageError('USAGE', 'old_text and new_text are the same: nothing to change.');
  const place = writable(placeFor(root, path, 'write'), refuses);
  let count = 0;
  changeText(place, (text) => {
    const [old, next] = inItsLineEnds(text, old_text, new_text);
    const places = occurrences(text, old);
    count = places.length;
    if (count === 0) throw new UsageError('USAGE', `old_text is not in ${quoted(path)}; read the file again.`);
    if (count > 1 && !replace_all) throw ambiguous(path, text, places);
    return text.split(old).join(next);
  });
  return {
    text: `Edited ${place.path}${count === 1 ? '' : ` in ${count} places`}.`,
    data: { path: place.path, replacements: count },
  };
}

/** read_file shows no carriage returns, so a text with plain line ends is adapted to the file's own. */
function inItsLineEnds(text: string, old: string, next: string): readonly [string, string] {
  if (text.includes(old) || !text.includes('\r\n') || old.includes('\r')) return [old, next];
  const ours = (plain: string): string => plain.replaceAll(/\r?\n/g, '\r\n');
  return [ours(old), ours(next)];
}

/** The offsets of a text, without overlaps, as they are replaced. */
function occurrences(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

function ambiguous(path: string, text: string, places: readonly number[]): UsageError {
  const lines = places.slice(0, MOST_PLACES).map((at) => text.slice(0, at).split('\n').length);
  const more = places.length > MOST_PLACES ? ' …' : '';
  return new UsageError(
    'USAGE',
    `old_text occurs ${places.length} times in ${quoted(path)} (lines ${lines.join(', ')}${more}): include more of the surrounding text, or set replace_all.`,
  );
}
