/**
 * Which task may write which file (docs/specification.md R8.4). Each pattern has one owner; shared files are the
 * lead's. A file that several tasks ask for is a boundary file and goes to the most relevant task. Overlap is computed
 * on existing files, not by comparing patterns.
 */
import picomatch from 'picomatch';

/**
 * package.json, tsconfig.json, .env, lock files, and the equivalents of other languages, at any depth
 * (docs/specification.md R8.4).
 */
const SHARED: readonly string[] = [
  'package.json',
  'tsconfig*.json',
  'jsconfig.json',
  '.env',
  '.env.*',
  'pnpm-workspace.yaml',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'Cargo.toml',
  'Cargo.lock',
  'go.mod',
  'go.sum',
  'go.work',
  'pyproject.toml',
  'poetry.lock',
  'uv.lock',
  'requirements*.txt',
  'Pipfile',
  'Pipfile.lock',
  'Gemfile',
  'Gemfile.lock',
  'composer.json',
  'composer.lock',
];

interface Asking {
  /** As the planner gave them: a path, a directory, or a pattern. */
  readonly files: readonly string[];
  /** Subject and description; they show how relevant a file is to the work. */
  readonly text: string;
  /** Positions of the tasks that it waits for. */
  readonly after: readonly number[];
}

export interface Boundary {
  readonly file: string;
  /** Position of the task that may write it. */
  readonly owner: number;
}

interface Ownership {
  /** For each task, the patterns that it owns. */
  readonly owned: readonly (readonly string[])[];
  /** The lead's files, existing ones first. */
  readonly shared: readonly string[];
  readonly boundary: readonly Boundary[];
  /** Sentences for the planner; empty if the division is valid. */
  readonly problems: readonly string[];
}

/**
 * Extended globs are off: nested alternatives in a planner's pattern could make a regular expression that never ends.
 */
const GLOB = { dot: true, noextglob: true } as const;

interface Pattern {
  readonly by: number;
  readonly text: string;
  readonly isLiteral: boolean;
  /** How many path parts come before the first wildcard. */
  readonly depth: number;
  readonly matches: (file: string) => boolean;
}

/**
 * @param real every existing file, relative, with `/`
 * @param told additional shared and boundary files from the planner
 */
export function divide(
  asking: readonly Asking[],
  real: readonly string[],
  told: { readonly shared: readonly string[]; readonly boundary: readonly string[] },
): Ownership {
  const outside = asking.flatMap(({ files }, at) => files.filter(leavesProject).map((file) => ({ at, file })));
  const problems = outside.map(
    ({ at, file }) => `Subtask ${at + 1} asks for ${file}, which is not a path inside the project.`,
  );
  // With only one writing task no file needs to be shared.
  const isShared = asking.filter(({ files }) => files.length > 0).length > 1 ? sharedBy(told.shared) : () => false;
  const patterns = asking.flatMap(({ files }, by) =>
    [...new Set(files.filter((file) => !leavesProject(file)).map((file) => normal(file, real)))].map((text) =>
      patternOf(text, by),
    ),
  );
  const kept = patterns.filter(({ isLiteral, text }) => !(isLiteral && isShared(text)));
  const files = new Set([...real, ...kept.filter(({ isLiteral }) => isLiteral).map(({ text }) => text)]);
  const found = overlaps(
    asking,
    kept,
    [...files].filter((file) => !isShared(file)),
  );
  const boundary = [...found.boundary, ...toldBoundary(asking, kept, found.boundary, told.boundary, real)];
  const lost = new Set(boundary.map(({ file, owner }) => `${owner} ${file}`));
  const isLost = ({ text, by }: Pattern): boolean =>
    boundary.some(({ file }) => file === text) && !lost.has(`${by} ${text}`);
  const owned = asking.map((_, at) => kept.filter((one) => one.by === at && !isLost(one)));
  const given = (at: number): string[] =>
    boundary.flatMap(({ file, owner }) =>
      owner === at && owned[at]?.some(({ text, matches }) => text === file || matches(file)) !== true ? [file] : [],
    );
  return {
    owned: owned.map((own, at) => [...own.map(({ text }) => text), ...given(at)]),
    shared: sharedFiles(real, patterns, isShared),
    boundary,
    problems: [...problems, ...found.problems],
  };
}

const leavesProject = (file: string): boolean =>
  /^(?:[/~]|[a-z]:[\\/])/i.test(file) || file.split(/[\\/]/).includes('..');

/** `./src/auth/` becomes `src/auth/**`; so does `src/auth`, if that is a directory. */
function normal(file: string, real: readonly string[]): string {
  const text = file.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  if (text === '' || text === '.') return '**';
  if (text.endsWith('/')) return `${text}**`;
  return real.some((one) => one.startsWith(`${text}/`)) ? `${text}/**` : text;
}

function patternOf(text: string, by: number): Pattern {
  const { base, glob } = picomatch.scan(text);
  const isLiteral = glob === '';
  const matches = isLiteral ? (file: string) => file === text : picomatch(text, GLOB);
  return { by, text, isLiteral, depth: isLiteral ? Infinity : base.split('/').filter(Boolean).length, matches };
}

const sharedBy = (told: readonly string[]): ((file: string) => boolean) =>
  picomatch(
    [
      ...SHARED.map((one) => `**/${one}`),
      ...told.filter((one) => !leavesProject(one)).map((one) => one.replace(/^\.\//, '')),
    ],
    GLOB,
  );

/** The shared files among existing files. */
export const sharedIn = (files: readonly string[]): string[] => files.filter(sharedBy([]));

const sharedFiles = (
  real: readonly string[],
  patterns: readonly Pattern[],
  isShared: (file: string) => boolean,
): string[] => [
  ...new Set([
    ...real.filter((file) => isShared(file)),
    ...patterns.filter(({ isLiteral, text }) => isLiteral && isShared(text)).map(({ text }) => text),
  ]),
];

/**
 * Files that several tasks ask for. The task with the most exact pattern gets the file; if several are equally exact,
 * the patterns are a problem.
 */
function overlaps(
  asking: readonly Asking[],
  patterns: readonly Pattern[],
  files: readonly string[],
): { boundary: Boundary[]; problems: string[] } {
  const boundary = new Map<string, Boundary>();
  const clashes = new Map<string, { file: string; by: readonly number[]; more: number }>();
  for (const file of files) {
    const matching = patterns.filter(({ matches }) => matches(file));
    if (new Set(matching.map(({ by }) => by)).size < 2) continue;
    const depth = Math.max(...matching.map((one) => one.depth));
    const nearest = matching.filter((one) => one.depth === depth);
    const by = [...new Set(nearest.map((one) => one.by))];
    const [best] = nearest;
    if (best && (by.length === 1 || best.isLiteral)) {
      const owner = by.length === 1 ? best.by : mostRelevant(asking, by, file);
      boundary.set(best.text, { file: best.text, owner });
      continue;
    }
    const key = by.join(' ');
    const before = clashes.get(key);
    clashes.set(key, before ? { ...before, more: before.more + 1 } : { file, by, more: 0 });
  }
  const problems = [...clashes.values()].map(({ file, by, more }) => {
    const who = by.map((at) => at + 1).join(' and ');
    const rest = more === 0 ? '' : ` and ${more} more`;
    return `Subtasks ${who} both ask for ${file}${rest}; each file belongs to one of them.`;
  });
  return { boundary: [...boundary.values()], problems };
}

/**
 * A boundary file that the planner names goes to the task whose pattern matches it, else to the most relevant of all
 * writing tasks.
 */
function toldBoundary(
  asking: readonly Asking[],
  patterns: readonly Pattern[],
  found: readonly Boundary[],
  told: readonly string[],
  real: readonly string[],
): Boundary[] {
  const files = [...new Set(told.filter((file) => !leavesProject(file)).map((file) => normal(file, real)))];
  return files.flatMap((file) => {
    if (found.some((one) => one.file === file)) return [];
    const owners = patterns.filter(({ matches, text }) => matches(file) || text === file).map(({ by }) => by);
    const writers = asking.flatMap(({ files: own }, at) => (own.length > 0 ? [at] : []));
    const from = owners.length > 0 ? [...new Set(owners)] : writers;
    return from.length === 0 ? [] : [{ file, owner: mostRelevant(asking, from, file) }];
  });
}

/** First the task whose words name most parts of the path, then the task that most others wait for, then the first. */
function mostRelevant(asking: readonly Asking[], by: readonly number[], file: string): number {
  const parts = file
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part.length > 2);
  const score = (at: number): number => {
    const text = asking[at]?.text.toLowerCase() ?? '';
    return parts.filter((part) => text.includes(part)).length;
  };
  const waiting = (at: number): number => by.filter((other) => asking[other]?.after.includes(at) === true).length;
  const [best = 0] = by.toSorted((a, b) => score(b) - score(a) || waiting(b) - waiting(a) || a - b);
  return best;
}
