/**
 * The deliverables of a task, by name, so that each is reviewed (docs/specification.md R9.6). They are the files that
 * the task names, the points of its list, or a counted number of things; else one result.
 */

/** The deliverable of a task that names none. */
export const THE_RESULT = 'the result';

/** At most this many deliverables are reviewed one by one. */
const MOST = 20;

/** @returns at least one name, in the order of the task, each once */
export function deliverablesOf(task: string): string[] {
  const ways = [filesIn(task), pointsIn(task), countedIn(task)];
  const longest = ways.reduce((best, names) => (names.length > best.length ? names : best), []);
  return longest.length === 0 ? [THE_RESULT] : longest.slice(0, MOST);
}

const ENDINGS =
  'md|txt|rst|tsx?|jsx?|mjs|cjs|json|ya?ml|toml|py|go|rs|java|kt|c|h|cpp|hpp|cs|rb|php|swift|sh|sql|html|css|scss|vue|svelte|xml|proto|ini|cfg|csv|svg';
const FILE = new RegExp(`(?<![\\w./@-])(?:[\\w.@-]+/)*[\\w@][\\w.@-]*\\.(?:${ENDINGS})(?![\\w/-])`, 'gi');

/** Products whose names look like files. */
const NO_FILE = /^(?:node|next|vue|react|express|nuxt|three|d3|nest|ember|backbone|alpine|chart|moment)\.js$/i;

const filesIn = (task: string): string[] =>
  unique((task.match(FILE) ?? []).filter((name) => !NO_FILE.test(name) && !/^\d+\.[a-z]$/i.test(name)));

const POINT = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(\S[^\n]*)$/gm;
const LONGEST_POINT = 80;

/** A list needs at least two points; a single dash is often only punctuation. */
function pointsIn(task: string): string[] {
  const points = [...task.matchAll(POINT)].flatMap(([, text = '']) => text.trim().slice(0, LONGEST_POINT));
  return points.length < 2 ? [] : unique(points);
}

const NUMBERS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const THINGS =
  'docs?|documents?|files?|endpoints?|components?|pages?|modules?|services?|diagrams?|scripts?|functions?|classes|reports?|options|designs|proposals?|examples?|sections|chapters|articles|posts|variants|versions|drafts|alternatives|tests|routes|commands|schemas|migrations|templates';
const COUNTED = new RegExp(`\\b([2-9]|1[0-9]|20|${NUMBERS.join('|')}) ((?:[a-z][\\w-]* ){0,2}?(?:${THINGS}))\\b`, 'gi');

function countedIn(task: string): string[] {
  return [...task.matchAll(COUNTED)].flatMap(([, count = '', things = '']) => {
    const number = /^\d/.test(count) ? Number(count) : NUMBERS.indexOf(count.toLowerCase()) + 2;
    return Array.from({ length: number }, (_, index) => `${things} (${index + 1} of ${number})`);
  });
}

const unique = (names: readonly string[]): string[] => [...new Set(names)];

/** Whether two names mean the same deliverable, in the spellings of people and models. */
export const sameDeliverable = (a: string, b: string): boolean => {
  const [left, right] = [plain(a), plain(b)];
  return left === right || left.endsWith(`/${right}`) || right.endsWith(`/${left}`);
};

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[`"'*]/g, '')
    .replace(/^\.\//, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/[.,;:]$/, '')
    .trim();
