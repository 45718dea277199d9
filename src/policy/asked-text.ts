/**
 * What a person reads of a request that is longer than the board keeps. It says first that it is not whole and where the
 * whole is, then shows its beginning and its end: nobody allows an end that is not seen.
 */
import { ASKED_LIMIT } from '../model/board/request.ts';
import { shownPath } from '../model/text/safe-text.ts';

/** What an agent wants to do. */
interface AskedCall {
  readonly tool: string;
  readonly effect: string;
  readonly paths: readonly string[];
  /** The whole call, such as a command or the new text of a file. */
  readonly input: string;
}

/** Keeps a text whole, and says where a person finds it; undefined for one that is too long to be kept. */
type Keep = (whole: string) => string | undefined;

/** Characters for the remarks that something is not shown. */
const FOR_REMARK = 400;

/** @returns at most `ASKED_LIMIT` characters */
export function askedText(text: string, keep: Keep): string {
  if (text.length <= ASKED_LIMIT) return text;
  const { remark, shown } = shortened(text, ASKED_LIMIT - FOR_REMARK);
  return `(${remark}; ${placeOf(text, keep)})\n${shown}`;
}

/**
 * The tool, the paths, then the call itself.
 *
 * @returns at most `ASKED_LIMIT` characters
 */
export function askedCallText({ tool, effect, paths, input }: AskedCall, keep: Keep): string {
  const what = `${tool} ${effect}`;
  const names = paths.map(shownPath);
  const where = `${what}${effect === 'runs' && names.length > 0 ? ' in' : ''}`;
  const whole = [`${where}${names.length === 0 ? '' : ` ${names.join(', ')}`}`, input].filter(Boolean).join('\n');
  if (whole.length <= ASKED_LIMIT) return whole;
  const place = placeOf(whole, keep);
  const room = ASKED_LIMIT - where.length - FOR_REMARK;
  const fitting = fittingOf(names, room / 2);
  const listed = fitting.join(', ');
  const call = shortened(input, room - listed.length);
  const remarks = [
    ...(fitting.length < names.length ? [`only ${fitting.length} of ${names.length} paths are shown`] : []),
    ...(call.remark === '' ? [] : [call.remark]),
    place,
  ];
  const head = `${where}${listed === '' ? '' : ` ${listed}`}`;
  const said = `(${remarks.join('; ')})`;
  // A long list of paths would hide the remark.
  const first =
    fitting.length < names.length ? `${where} ${said}${listed === '' ? '' : `: ${listed}`}` : `${head} ${said}`;
  return call.shown === '' ? first : `${first}\n${call.shown}`;
}

function placeOf(whole: string, keep: Keep): string {
  const place = keep(whole);
  return place === undefined ? 'too long to be kept whole' : `whole in ${place}`;
}

/** The first names that fit together. */
function fittingOf(names: readonly string[], most: number): readonly string[] {
  let length = 0;
  const end = names.findIndex((name) => (length += name.length + 2) > most);
  return end < 0 ? names : names.slice(0, end);
}

function shortened(text: string, most: number): { readonly remark: string; readonly shown: string } {
  if (text.length <= most) return { remark: '', shown: text };
  const half = Math.floor((most - 3) / 2);
  const figures = `${(2 * half).toLocaleString('en')} of ${text.length.toLocaleString('en')}`;
  return {
    remark: `only ${figures} characters are shown, its beginning and its end`,
    shown: `${text.slice(0, half)}\n…\n${text.slice(-half)}`,
  };
}
