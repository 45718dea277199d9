/** Chooses the team of a verb: the first word if a team has that name, else `TEAMS_TEAM`, else the only active team. */
import {
  ConflictError,
  departureOf,
  didYouMeanOr,
  findTeam,
  isMovingIn,
  isName,
  listTeams,
  openHandle,
  copiedFrom,
  parseName,
  setAsideBroken,
  StoreError,
  TeamHandle,
  UsageError,
  type ListedTeam,
  type Name,
  type TeamPaths,
  ENV,
} from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { requireGivenRoot, rootOf } from './root.ts';
import { settings } from './settings.ts';

interface TeamChoice {
  readonly team: ListedTeam;
  /** The words after the team. */
  readonly words: readonly string[];
}

interface ChoiceOptions {
  /** How many words the verb needs besides the team. If there are more, the first word must name a team. */
  readonly needs?: number;
  /** An archived team may be chosen. */
  readonly archived?: boolean;
  /** Its config may be damaged while a lead leads it. */
  readonly whileLed?: boolean;
}

/**
 * @throws UsageError `UNKNOWN_TEAM`, `BAD_NAME`, or `USAGE` that lists the active teams; `POLICY_DENIED` for another team
 * than that of a member in its sandbox; StoreError `CORRUPT` for a team with a damaged config, which this call sets aside
 */
export function chooseTeam(context: CliContext, words: readonly string[], options: ChoiceOptions = {}): TeamChoice {
  const choice = chosen(context, words, options);
  const { name, paths, archivedAt } = choice.team;
  const { isolate, environment } = context.io;
  // Before anything is read or put aside: a program in its isolation reaches nothing of another team.
  if (isolate !== undefined && name !== environment[ENV.team])
    throw new UsageError('POLICY_DENIED', `A member in its sandbox sees its own team only: not ${name}.`);
  if (archivedAt === undefined) {
    setAsideBroken(paths, options);
    warnIfCopied(context, paths);
  } else warnIfMoved(context, paths);
  return choice;
}

/** Says that a team goes on elsewhere, of which the archive is shown. */
function warnIfMoved(context: CliContext, { name, folder }: TeamPaths): void {
  const left = departureOf(folder);
  if (left !== undefined) context.warn(`Team ${name} was moved ${wayOf(left)}: this is how it was then.`);
}

const wayOf = ({ way, store }: { readonly way: 'to' | 'from'; readonly store: string }): string =>
  way === 'to' ? `to ${store}` : `from ${store} to the files of a folder`;

/** Says whose processes are recorded in a copied team. */
export function warnIfCopied(context: CliContext, paths: TeamPaths): void {
  const original = copiedFrom(paths);
  if (original !== undefined)
    context.warn(`Team ${paths.name} was copied from ${original}: its processes belong to the original.`);
}

function chosen(
  context: CliContext,
  words: readonly string[],
  { needs = 0, archived = false }: ChoiceOptions,
): TeamChoice {
  const root = rootOf(context);
  requireGivenRoot(context, root);
  const [first, ...rest] = words;
  const known = first === undefined || !isName(first) ? undefined : find(root, first, archived);
  if (known) return { team: known, words: rest };
  if (first !== undefined && words.length > needs) throw unknownTeam(root, first);
  return { team: defaultTeam(context, root, { archived, first }), words };
}

/** Opens the chosen team for the speaker. The caller closes it. */
export async function openTeamChoice(
  context: CliContext,
  words: readonly string[],
  options: ChoiceOptions = {},
): Promise<{ handle: TeamHandle; words: readonly string[] }> {
  const own = openTeam(context, words, options);
  if (own !== undefined) return own;
  const { team, words: rest } = chooseTeam(context, words, options);
  return Promise.resolve({ handle: openHandle(team.name, settings(context).open), words: rest });
}

/**
 * A program in its isolation asks the member's own process, which has the team open: nothing is read again.
 *
 * @returns undefined if the words may name another team, or an option changes the choice
 */
function openTeam(
  { io: { openTeam: store, environment }, flags }: CliContext,
  words: readonly string[],
  { needs = 0 }: ChoiceOptions,
): { handle: TeamHandle; words: readonly string[] } | undefined {
  if (store === undefined || flags.root !== undefined || flags.as !== undefined) return undefined;
  const { name } = store.paths;
  const isNamed = words[0] === name;
  if (environment[ENV.team] !== name || (!isNamed && words.length > needs)) return undefined;
  return { handle: TeamHandle.borrowing(store, environment), words: isNamed ? words.slice(1) : words };
}

function find(root: string, name: Name, archived: boolean): ListedTeam | undefined {
  const team = findTeam(root, name);
  return team?.archivedAt === undefined || archived ? team : undefined;
}

interface DefaultChoice {
  readonly archived: boolean;
  /** A word of the verb, which may name a team that is archived. */
  readonly first: string | undefined;
}

function defaultTeam(context: CliContext, root: string, { archived, first }: DefaultChoice): ListedTeam {
  const named = context.io.environment[ENV.team];
  if (named !== undefined && named !== '') {
    const team = find(root, parseName('team', named), archived);
    if (team) return team;
    throw unknownTeam(root, named);
  }
  const active = activeTeams(root);
  const [only] = active;
  if (only && active.length === 1) return only;
  const names = active.map(({ name }) => name);
  if (names.length === 0 && first !== undefined && isName(first) && findTeam(root, first))
    throw unknownTeam(root, first);
  throw new UsageError(
    'USAGE',
    names.length === 0
      ? `There is no team under ${root}; \`teams create NAME\` or \`teams run PLAN\` makes one.`
      : `Which team? There are ${names.join(', ')}.`,
  );
}

const activeTeams = (root: string): ListedTeam[] =>
  listTeams(root).filter(({ archivedAt }) => archivedAt === undefined);

/** @throws ConflictError `REFUSED`, StoreError `TEAM_GONE` for one that moves, or has moved */
export function unknownTeam(root: string, word: string): UsageError {
  const name = parseName('team', word);
  if (isMovingIn(root, name))
    throw new ConflictError('REFUSED', `Team ${name} is being moved between ${root} and a store; try again.`);
  const old = findTeam(root, name);
  const left = old && departureOf(old.paths.folder);
  if (left !== undefined) {
    const cure =
      left.way === 'to'
        ? `work on it with \`--store\`, or bring it back with \`teams migrate ${name} --to files\``
        : `work on it there without \`--store\`, or bring it back with \`teams migrate ${name} --to store\``;
    throw new StoreError('TEAM_GONE', `Team ${name} was moved ${wayOf(left)}: ${cure}.`);
  }
  if (old)
    return new UsageError(
      'UNKNOWN_TEAM',
      `Team ${name} was archived on ${old.archivedAt?.slice(0, 10)}; \`teams report ${name}\` and \`teams log ${name}\` still show it.`,
    );
  const names = activeTeams(root).map((team) => team.name);
  const cure = didYouMeanOr('`teams list --all` lists the teams there', name, names);
  return new UsageError('UNKNOWN_TEAM', `There is no team ${name} under ${root}${cure}`);
}
