/**
 * Keeps files byte for byte that git would convert when it adds them: by attributes (`text`, `eol`, `ident`,
 * `working-tree-encoding`, `filter`) or `core.autocrlf`. No filter runs for them, so none can fail.
 */
import { join, resolve } from 'node:path';
import process from 'node:process';
import { entryAt, fileSize } from '../../store/workspace/user-files.ts';
import { homeOf, smallText } from '../../store/workspace/sandbox-host.ts';
import type { Repository } from './git-place.ts';
import { BATCH, isNamed, isThere, literally, requireGit } from './git-tree.ts';
import { git, type GitWhere } from './git.ts';
import { TimeSlices } from './time-slices.ts';

/** What attributes and settings make git convert. */
interface Conversions {
  readonly lineEnds: boolean;
  /** More than line ends: the encoding, `$Id$`, or all by a filter. */
  readonly content: boolean;
}

/**
 * Whether attributes make git convert line ends: most only name what must not be converted, and then no file has to be
 * read. A macro that converts has one of these words in its own line.
 *
 * @param attributes the text of a file of attributes
 */
export const convertsLineEnds = (attributes: string): boolean =>
  /[^\S\n](?:text|eol|crlf|working-tree-encoding)(?:[=\s]|$)/.test(attributes);

/** The same of what is more than line ends. */
const convertsContent = (attributes: string): boolean =>
  /[^\S\n](?:filter|ident|working-tree-encoding)(?:[=\s]|$)/.test(attributes);

/** Also a file that cannot be read, is too large, or is not on the disk: git knows it from the index. */
const textOf = (file: string): string => smallText(file) ?? ' text filter';

/**
 * Git finds attributes in more places than the `.gitattributes` that it knows: the user may have ignored the first.
 *
 * @param paths files, relative to the root of the working tree, among which are files of attributes
 */
export async function conversionsOf(
  { top, place }: Repository,
  paths: Iterable<string>,
  where: GitWhere,
): Promise<Conversions> {
  const asked = ['config', '--null', '--type=path', '--get-regexp', '^core\\.(autocrlf|attributesfile)$'];
  const told = (await git(asked, where)).text.split('\0').map((entry): [string, string] => {
    const [key = '', ...value] = entry.split('\n');
    return [key, value.join('\n')];
  });
  const settings = new Map(told);
  const users = settings.get('core.attributesfile') ?? join(homeOf(process.env), '.config/git/attributes');
  const own = [join(top, '.gitattributes'), resolve(top, place.common, 'info/attributes')];
  const texts = [...own, users, '/etc/gitattributes'].flatMap((file) => (isThere(file) ? [textOf(file)] : []));
  for (const path of paths) if (path.endsWith('/.gitattributes')) texts.push(textOf(join(top, path)));
  const isAutomatic = ['true', 'input'].includes(settings.get('core.autocrlf') ?? '');
  return { lineEnds: isAutomatic || texts.some(convertsLineEnds), content: texts.some(convertsContent) };
}

/** Files of filters are kept up to this size in all, in bytes: git puts each of them into the repository once. */
const MOST_FILTERED_BYTES = 64 * 2 ** 20;

interface Candidates {
  /** The hash of each file in the index. */
  readonly known: ReadonlyMap<string, { readonly hash: string }>;
  readonly untracked: readonly string[];
}

interface KeptContent {
  readonly paths: ReadonlySet<string>;
  /** Files of filters are not among them: in all they are too large. */
  readonly isFiltered: boolean;
}

/**
 * Puts files whose content git converts into an index, and tells git there that they did not change, so that it reads
 * none of them. Those of filters stay out if they are too large in all: they may be content that is kept elsewhere, as by
 * LFS.
 *
 * @throws GitFailure
 */
export async function keepContent(
  top: string,
  { known, untracked }: Candidates,
  where: GitWhere,
): Promise<KeptContent> {
  const names = [...known.keys(), ...untracked].filter(isNamed);
  const { filtered, encoded } = await convertedFiles(names, where);
  const bytes = filtered.reduce((sum, path) => sum + (fileSize(join(top, path)) ?? 0), 0);
  const isFiltered = bytes > MOST_FILTERED_BYTES;
  const slices = new TimeSlices();
  const [first] = known.values();
  const entries = new Map<string, { readonly mode: string; readonly hash: string }>();
  const changed: string[] = [];
  for (const path of isFiltered ? encoded : [...encoded, ...filtered]) {
    await slices.pause();
    const entry = entryAt(top, path, first?.hash ?? '');
    if (entry === null || typeof entry === 'string' || !entry.mode.startsWith('100')) continue;
    entries.set(path, entry);
    if (known.get(path)?.hash !== entry.hash) changed.push(path);
  }
  for (let at = 0; at < changed.length; at += BATCH) {
    const paths = changed.slice(at, at + BATCH);
    const args = ['hash-object', '-w', '--no-filters', '--', ...paths];
    const hashes = requireGit(await git(args, where), 'git hash-object').split('\n');
    for (const [one, path] of paths.entries())
      entries.set(path, { mode: entries.get(path)?.mode ?? '100644', hash: hashes[one] ?? '' });
  }
  if (entries.size > 0) {
    const lines = [...entries].map(([path, { mode, hash }]) => `${mode} ${hash}\t${path}\0`);
    const put = { ...where, stdin: lines.join('') };
    requireGit(await git(['update-index', '-z', '--index-info'], put), 'git update-index');
    const still = { ...where, stdin: [...entries.keys()].map((path) => `${path}\0`).join('') };
    requireGit(await git(['update-index', '--assume-unchanged', '-z', '--stdin'], still), 'git update-index');
  }
  return { paths: new Set(entries.keys()), isFiltered };
}

const CONTENT = ['filter', 'ident', 'working-tree-encoding'];

/** @throws GitFailure */
export async function convertedFiles(
  paths: readonly string[],
  where: GitWhere,
): Promise<{ readonly filtered: string[]; readonly encoded: string[] }> {
  const stdin = paths.map((path) => `${path}\0`).join('');
  const asked = stdin === '' ? '' : await git(['check-attr', '-z', '--stdin', ...CONTENT], { ...where, stdin });
  const words = asked === '' ? [] : requireGit(asked, 'git check-attr').split('\0');
  const filtered = new Set<string>();
  const encoded = new Set<string>();
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [path = '', name, value = ''] = words.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset') (name === 'filter' ? filtered : encoded).add(path);
  }
  return { filtered: [...filtered], encoded: [...encoded].filter((path) => !filtered.has(path)) };
}

/**
 * Puts files whose line ends git converts (attributes, `core.autocrlf`) into the index byte for byte, but for those that
 * cannot be named to it.
 */
export async function keepLineEnds(without: readonly string[], where: GitWhere): Promise<void> {
  const listed = requireGit(
    await git(['ls-files', '--eol', '-z', '--', ':/', ...without], where),
    'git ls-files',
  ).split('\0');
  const converted = listed.flatMap((line) => {
    const [info = '', path = ''] = line.split('\t');
    const [inIndex, inTree] = /^i\/(\S*) +w\/(\S*)/.exec(info)?.slice(1) ?? [];
    return inTree === '' || inIndex === inTree || path === '' || !isNamed(path) ? [] : [path];
  });
  for (let at = 0; at < converted.length; at += BATCH) {
    const paths = converted.slice(at, at + BATCH);
    const hashes = requireGit(
      await git(['hash-object', '-w', '--no-filters', '--', ...paths], where),
      'git hash-object',
    ).split('\n');
    const modes = requireGit(
      await git(['ls-files', '--stage', '-z', '--', ...paths.map(literally)], where),
      'git ls-files',
    );
    const modeOf = new Map(modes.split('\0').map((entry) => [entry.slice(entry.indexOf('\t') + 1), entry.slice(0, 6)]));
    const entries = paths.map((path, one) => `${modeOf.get(path) ?? '100644'},${hashes[one] ?? ''},${path}`);
    const added = await git(['update-index', ...entries.flatMap((entry) => ['--cacheinfo', entry])], where);
    requireGit(added, 'git update-index');
  }
}
