/**
 * The path of every file (docs/specification.md R1.1). No other module builds one. A path is built only from a `Name`,
 * a task id or one of our own ids.
 */
import { resolve } from 'node:path';
import type { Name } from '../../model/text/names.ts';
import type { WisdomFile } from '../../model/pipeline/wisdom-files.ts';

export interface RootPaths {
  readonly root: string;
  readonly teams: string;
  readonly tasks: string;
  readonly archive: string;
  readonly config: string;
  /** Tokens of processes that hold the lock of a team's name. */
  readonly tokens: string;
  /** The lock of a team's name: a team is created, moved and archived only inside it. No name begins with a dot. */
  nameLock(name: Name): string;
  /** Held while an undo or an apply changes files of the project. */
  readonly changeLock: string;
  /** The mark of a replica: its teams are in the store that it names. */
  readonly replica: string;
  /** Where the relay of a replica listens. */
  readonly relay: string;
  readonly relayLock: string;
  /** Says why this replica is not the order of the store any more. */
  readonly diverged: string;
  /** Says since when the relay of this replica does not hear the store. */
  readonly cutOff: string;
  /** The ledgers of the user's days in the store, a file each. */
  readonly spending: string;
  /** Teams that are being moved to a store, or from one. */
  readonly moves: string;
  /** Held by the process that moves a team. */
  moveLock(name: Name): string;
  /** A project's own files of a kind. */
  shelf(kind: ShelfKind): string;
}

/** Kinds of files that come with the package and that a project can replace by name. */
export const SHELVES = ['roles', 'pipelines', 'templates'] as const;
export type ShelfKind = (typeof SHELVES)[number];

/**
 * A path in a folder. `join` reads each character of both again: 140 paths of a start were enough for V8 to optimize it.
 *
 * @param folder normalized
 * @param path of our own names, with no `.`, `..` or empty name in it
 */
const below = (folder: string, path: string): string => (folder.endsWith('/') ? folder + path : `${folder}/${path}`);

export function rootPaths(root: string): RootPaths {
  const at = resolve(root);
  const teams = below(at, '.teams');
  return {
    root: at,
    teams,
    tasks: below(at, '.tasks'),
    archive: below(teams, '.archive'),
    config: below(teams, 'config.yaml'),
    tokens: below(teams, '.tokens'),
    nameLock: (name) => below(teams, `.${name}.lock`),
    changeLock: below(teams, '.files.lock'),
    replica: below(teams, '.replica.json'),
    relay: below(teams, '.relay'),
    relayLock: below(teams, '.relay.lock'),
    diverged: below(teams, '.diverged'),
    cutOff: below(teams, '.cut-off'),
    spending: below(teams, '.spending'),
    moves: below(teams, '.moves'),
    moveLock: (name) => below(teams, `.${name}.move.lock`),
    shelf: (kind) => below(teams, kind),
  };
}

/** A lock of the team itself. It lies where no lease can be: a lease is called after its member. */
export interface TeamLock {
  readonly path: string;
  /** Where programs of the version before this one have it; a member's lease may be there instead. */
  readonly earlier: string;
}

export interface TeamPaths {
  readonly root: string;
  readonly team: string;
  readonly name: Name;
  /** The team's folder, and its board's. */
  readonly folder: string;
  readonly board: string;
  readonly log: string;
  /** The checkpoint of the log's fold; it can be removed at any time. */
  readonly checkpoint: string;
  readonly config: string;
  readonly configLock: TeamLock;
  readonly state: string;
  readonly stateLock: TeamLock;
  readonly viewsLock: TeamLock;
  readonly plan: string;
  /** The plan before the `number`-th change of the plan, counted from 1. */
  earlierPlan(number: number): string;
  /** What was in each file before agents wrote, for projects without git. */
  readonly baseline: string;
  /** The newest file of the event log. */
  readonly events: string;
  /** The index of the event log. */
  readonly eventIndex: string;
  /** The lock in which the event log goes on in a new file. */
  readonly eventFilesLock: string;
  readonly tokens: string;
  /** The team's own locks. */
  readonly locks: string;
  readonly processes: string;
  /** Of a replica that was put away: the records that its store does not have. */
  readonly onlyHere: string;
  /** Of a replica: which processes run on other machines. */
  readonly elsewhere: string;
  /** Of a replica: the hosts of the store, and which members are placed on them. */
  readonly hosts: string;
  readonly logs: string;
  readonly results: string;
  readonly blobs: string;
  readonly homes: string;
  /** The team's own git repository, where its members have trees of their own. */
  readonly vault: string;
  /** The members' trees, and that in which gates run. */
  readonly trees: string;
  /** The pauses of vendors, shared by all members. */
  readonly vendors: string;
  readonly vendorsLock: TeamLock;
  /** What is limited, reserved and spent. */
  readonly ledger: string;
  readonly ledgerLock: string;
  /** What decisions were made on, for replays. */
  readonly sightings: string;
  readonly mail: string;
  /** The session folders (docs/specification.md R10.3); a pipeline's team has them. */
  readonly session: Readonly<Record<SessionFolder, string>>;
  readonly wisdomLock: TeamLock;
  readonly explorationsLock: TeamLock;
  readonly busLock: TeamLock;
  readonly reportText: string;
  readonly reportJson: string;
  inbox(member: Name): InboxPaths;
  lease(member: Name): string;
  leaseOwner(member: Name): string;
  leaseLock(member: Name): string;
  process(member: Name): string;
  output(member: Name): string;
  /** Which part of its output belongs to which task. */
  outputParts(member: Name): string;
  home(member: Name): string;
  agentSession(member: Name): string;
  /** A member's tree; of the queue, whose name no member has. */
  tree(of: TreeOwner): string;
  /** The index of a tree. */
  treeIndex(of: TreeOwner): string;
  /** How far the setup of a tree came. */
  treeSetup(of: TreeOwner): string;
  /** The index of what a tree has besides its change. */
  outputIndex(of: TreeOwner): string;
  /** Where a tree is moved that git could not keep. */
  treeAside(of: TreeOwner, when: string): string;
  taskView(id: string): string;
  taskFile(id: string, epoch: number): string;
  result(id: string, epoch?: number): string;
  blob(hash: string): string;
  wisdom(file: WisdomFile): string;
}

/** No member's name begins with a dot: trees for gates, and for the lead's agent. */
export type TreeOwner = Name | '.queue' | '.lead';

type SessionFolder = 'spec' | 'discussions' | 'explorations' | 'artifacts' | 'wisdom';

export interface InboxPaths {
  readonly directory: string;
  readonly inbox: string;
  readonly lock: string;
  readonly bell: string;
  readonly bad: string;
  readonly history: string;
  readonly receipts: string;
  /** The beginning of the file names of taken segments. */
  readonly takenPrefix: string;
  segment(number: number, id: string): string;
  oversized(id: string): string;
}

function inboxPaths(directory: string, member: Name): InboxPaths {
  const base = below(directory, `${member}_inbox`);
  return {
    directory,
    inbox: `${base}.jsonl`,
    lock: `${base}.lock`,
    bell: `${base}.bell`,
    bad: `${base}.bad.jsonl`,
    history: below(directory, `${member}_history.jsonl`),
    receipts: below(directory, `${member}_receipts.jsonl`),
    takenPrefix: `${member}_inbox.taken.`,
    segment: (number, id) => `${base}.taken.${String(number).padStart(6, '0')}-${id}.jsonl`,
    oversized: (id) => `${base}.bad.${id}.raw`,
  };
}

/**
 * @param folder the team's folder; an archived team's is elsewhere, with its board inside
 * @param board the board's folder
 */
export function teamPathsAt(root: string, name: Name, folder: string, board: string): TeamPaths {
  const inside = (file: string) => below(folder, file);
  const teamLock = (what: string): TeamLock => ({
    path: inside(`.locks/${what}.lock`),
    earlier: inside(`${what}.lock`),
  });
  const inboxes = new Map<Name, InboxPaths>();
  return {
    root,
    team: folder,
    name,
    folder,
    board,
    log: below(board, 'log.jsonl'),
    checkpoint: below(board, 'log.checkpoint'),
    config: inside('config.json'),
    configLock: teamLock('config'),
    state: inside('state.json'),
    stateLock: teamLock('state'),
    viewsLock: teamLock('events'),
    plan: inside('plan.json'),
    earlierPlan: (number) => inside(`plan.${number}.json`),
    baseline: inside('baseline.json'),
    events: inside('events.jsonl'),
    eventIndex: inside('events.index'),
    eventFilesLock: inside('.locks/event-files.lock'),
    tokens: inside('.tokens'),
    locks: inside('.locks'),
    processes: inside('processes'),
    elsewhere: inside('elsewhere.json'),
    hosts: inside('hosts.json'),
    onlyHere: inside('only-here.jsonl'),
    logs: inside('logs'),
    results: inside('results'),
    blobs: inside('blobs'),
    homes: inside('homes'),
    vault: inside('vault.git'),
    trees: inside('trees'),
    vendors: inside('vendors.json'),
    vendorsLock: teamLock('vendors'),
    ledger: inside('ledger.jsonl'),
    sightings: inside('sightings.jsonl'),
    ledgerLock: inside('.locks/ledger.lock'),
    session: {
      spec: inside('spec'),
      discussions: inside('discussions'),
      explorations: inside('explorations'),
      artifacts: inside('artifacts'),
      wisdom: inside('wisdom'),
    },
    wisdomLock: teamLock('wisdom'),
    explorationsLock: teamLock('explorations'),
    busLock: teamLock('bus'),
    mail: inside('mail'),
    reportText: inside('report.md'),
    reportJson: inside('report.json'),
    inbox(member) {
      const paths = inboxes.get(member) ?? inboxPaths(folder, member);
      inboxes.set(member, paths);
      return paths;
    },
    lease: (member) => inside(`${member}.lock`),
    leaseOwner: (member) => inside(`processes/${member}.lease.json`),
    leaseLock: (member) => inside(`processes/${member}.lease.lock`),
    process: (member) => inside(`processes/${member}.json`),
    home: (member) => inside(`homes/${member}`),
    agentSession: (member) => inside(`homes/${member}.session.json`),
    tree: (of) => inside(`trees/${of}`),
    treeIndex: (of) => inside(`vault.git/indexes/${of}`),
    outputIndex: (of) => inside(`vault.git/indexes/${of}.output`),
    treeSetup: (of) => inside(`vault.git/indexes/${of}.setup`),
    treeAside: (of, when) => inside(`trees/.left-${of}-${when}`),
    output: (member) => inside(`logs/${member}.log`),
    outputParts: (member) => inside(`logs/${member}.parts.jsonl`),
    taskView: (id) => below(board, `${id}.json`),
    taskFile: (id, epoch) => inside(`mail/${id}.${epoch}.task.json`),
    result: (id, epoch) => inside(epoch === undefined ? `results/${id}.md` : `results/${id}.${epoch}.md`),
    blob: (hash) => inside(`blobs/${hash}`),
    wisdom: (file) => inside(`wisdom/${file}.md`),
  };
}

export function teamPaths(root: string, name: Name): TeamPaths {
  const at = rootPaths(root);
  return teamPathsAt(at.root, name, below(at.teams, name), below(at.tasks, name));
}

export const archivePaths = (root: string, name: Name, stamp: string): TeamPaths => {
  const { root: at, archive } = rootPaths(root);
  const folder = below(archive, `${name}-${stamp}`);
  return teamPathsAt(at, name, folder, below(folder, 'tasks'));
};
