/**
 * Errors in the code that recognises processes and folders, each with the test that finds it. `scripts/mutants.mjs`
 * makes one error at a time: it replaces `from`, which is there once, by `to`.
 */
const SWEEP = { file: 'src/os/sweep.ts', test: 'test/os/sweep.test.ts' };
const MARK = { file: 'src/os/mark-environment.ts', test: 'test/os/mark.test.ts' };
const DRAW = { file: 'src/os/draw-marks.ts', test: 'test/os/mark.test.ts' };
const RECORD = { file: 'src/model/agent/process-mark.ts', test: 'test/os/mark.test.ts' };
const LIFE = { file: 'src/os/process-table.ts', test: 'test/os/process-table.test.ts' };
const TREE = { file: 'src/os/process-tree.ts', test: 'test/os/process-tree.test.ts' };
const GROUP = { file: 'src/os/process-group.ts', test: 'test/os/process-tree.test.ts' };
const FOLDER = { file: 'src/model/team/folder-identity.ts', test: 'test/store/files/folder-of.test.ts' };
const FOLDER_IN = { file: 'src/store/files/folder-of.ts', test: 'test/store/files/folder-of.test.ts' };
const OPEN = { file: 'src/os/open-directory.ts', test: 'test/os/open-directory.test.ts' };
const ROSTER = { file: 'src/store/team/roster.ts', test: 'test/runtime/lead/end-orphans.test.ts' };
const ORPHANS = { file: 'src/runtime/lead/end-orphans.ts', test: 'test/runtime/lead/end-orphans.test.ts' };
const LEADERSHIP = { file: 'src/runtime/lead/leadership.ts', test: 'test/runtime/lead/leadership.test.ts' };
const SUPERVISOR = { file: 'src/runtime/lead/supervisor.ts', test: 'test/runtime/lead/supervisor.test.ts' };
const CHILDREN = { file: 'src/runtime/lead/lead-children.ts', test: 'test/runtime/lead/lead-children.test.ts' };
const LEASE = { file: 'src/store/team/lease.ts', test: 'test/store/lock/document.test.ts' };
const LOCK = { file: 'src/store/lock/lock.ts', test: 'test/store/lock/lock.test.ts' };
const COPIED_LOCK = { file: 'src/store/lock/lock.ts', test: 'test/store/lock/token.test.ts' };
const TOKEN = { file: 'src/store/lock/token.ts', test: 'test/store/lock/token.test.ts' };
const OWN_TOKEN = { file: 'src/store/lock/token.ts', test: 'test/store/lock/token.test.ts' };
const PINNED = { file: 'src/store/files/pinned.ts', test: 'test/store/files/pinned.test.ts' };
const MOVE = { file: 'src/store/team/team-list.ts', test: 'test/store/team/team-list.test.ts' };
const CREATE = { file: 'src/store/team/create-store.ts', test: 'test/store/team/create-store.test.ts' };
const STALLED = { file: 'src/store/team/create-store.ts', test: 'test/store/stalls.test.ts' };
const NAME = { file: 'src/store/team/name-lock.ts', test: 'test/store/team/name-lock.test.ts' };
const REMAINS = { file: 'src/store/team/remains.ts', test: 'test/store/team/remains.test.ts' };
const FOLD = { file: 'src/store/files/journal.ts', test: 'test/store/board/board.test.ts' };
const COPIED = { file: 'src/store/team/copied-team.ts', test: 'test/store/team/copied-team.test.ts' };
const JOIN = { file: 'src/runtime/teammate/join.ts', test: 'test/threats/copies.test.ts' };

export const IDENTITY_MUTANTS = [
  // A process that was judged and the one that is signalled.
  {
    name: 'the start time is not compared before the signal',
    ...SWEEP,
    from: "typeof now === 'string' || now.startTime !== startTime || !isSure()",
    to: "typeof now === 'string' || !isSure()",
  },
  {
    name: 'the mark is not read again before the signal',
    ...SWEEP,
    from: 'if (spared.has(pid) || !isStillOurs()) return false;',
    to: 'if (spared.has(pid)) return false;',
  },
  {
    name: 'a process is signalled on a refused read',
    ...SWEEP,
    from: 'now.startTime !== startTime || !isSure()) return false;',
    to: 'now.startTime !== startTime) return false;',
  },
  {
    name: 'ancestors are not spared',
    ...SWEEP,
    from: 'new Set([...ancestry(table), ...except])',
    to: 'new Set([table.self, ...except])',
  },
  { name: 'marks of another boot are swept', ...SWEEP, from: 'isHere && mark.bootId === bootId', to: 'isHere' },
  {
    name: 'processes of another boot are swept',
    ...SWEEP,
    from: 'isHere && who.bootId === bootId && who',
    to: 'isHere && who',
  },
  {
    name: 'processes of another pid namespace are swept',
    ...SWEEP,
    from: ' && who.pidNamespace === pidNamespace',
    to: '',
  },
  { name: 'a known pid is enough', ...SWEEP, from: '`${pid}:${startTime}`;', to: '`${pid}`;' },
  {
    name: 'another user’s known process is swept',
    ...SWEEP,
    from: 'if (hunt.known.has(keyOf({ pid, startTime }))) return isMine(hunt, pid);',
    to: 'if (hunt.known.has(keyOf({ pid, startTime }))) return true;',
  },
  {
    name: 'another user’s descendant is swept',
    ...SWEEP,
    from: 'strike(hunt, seen, () => isMine(hunt, seen.pid))',
    to: 'strike(hunt, seen, () => true)',
  },
  {
    name: 'a match by a shared limit is never spared',
    ...SWEEP,
    from: '!(isWeak(mark) && isOfAnother(hunt, suspect))',
    to: '!isWeak(mark) || true',
  },
  {
    name: 'a drawer is known by its pid alone',
    ...SWEEP,
    from: "typeof seen === 'string' || seen.startTime !== drawer.startTime || !isLiving(seen)",
    to: "typeof seen === 'string' || !isLiving(seen)",
  },
  {
    name: 'a swept drawer protects what it started',
    ...SWEEP,
    from: 'return !hunt.marks.some((mark) => evidenceOf(mark, suspect) !== undefined);',
    to: 'return suspect.isMine;',
  },
  {
    name: 'a known drawer protects what it started',
    ...SWEEP,
    from: 'if (hunt.known.has(keyOf(drawer))) return false;',
    to: '',
  },
  {
    name: 'the sweeping process’s own mark protects what it started',
    ...SWEEP,
    from: ' || markIn(environ) === hunt.ownMark',
    to: '',
  },
  { name: 'older processes match', ...MARK, from: '!isMine || startTime < mark.since', to: '!isMine' },
  {
    name: 'processes of another user match',
    ...MARK,
    from: '!isMine || startTime < mark.since',
    to: 'startTime < mark.since',
  },
  { name: 'a limit above the block matches', ...MARK, from: ' && limits[mark.resource] <= mark.high', to: '' },
  { name: 'a limit below the block matches', ...MARK, from: 'mark.low <= limits[mark.resource] && ', to: '' },
  {
    name: 'the other resource matches',
    ...MARK,
    from: 'mark.low <= limits[mark.resource] && limits[mark.resource] <= mark.high',
    to: 'mark.low <= Math.min(limits.locks, limits.msgqueue) && Math.min(limits.locks, limits.msgqueue) <= mark.high',
  },
  { name: 'a mark serves two starts', ...MARK, from: "uses.set(mark, 'started');", to: '' },
  { name: 'a mark serves a start during its sweep', ...MARK, from: "uses.set(mark, 'swept')", to: 'uses.get(mark)' },
  { name: 'a block has its first value', ...DRAW, from: 'low: block * width + 1', to: 'low: block * width' },
  {
    name: 'a mark of this process is drawn again',
    ...DRAW,
    from: 'this.#held([...this.#inUse, ...here], resource)',
    to: 'this.#held(here, resource)',
  },
  {
    name: 'a recorded mark is drawn again',
    ...DRAW,
    from: 'this.#held([...this.#inUse, ...here], resource)',
    to: 'this.#held([...this.#inUse], resource)',
  },
  {
    name: 'the limit of a running process is drawn',
    ...DRAW,
    from: 'new Set([...running, ...this.#held',
    to: 'new Set([...this.#held',
  },
  {
    name: 'an administrator’s limit of locks is taken for a mark',
    ...DRAW,
    from: 'LOCK_MARKS.from < own.locks && own.locks < LOCK_MARKS.to',
    to: 'own.locks < LOCK_MARKS.to',
  },
  {
    name: 'a mark’s id does not name its drawer’s start',
    ...DRAW,
    from: '`${run}-${table.self}-${since}-${',
    to: '`${run}-${table.self}-0-${',
  },
  {
    name: 'a recorded mark may be wider than a block',
    ...RECORD,
    from: 'low > value || value > high || high - low >= BLOCK[resource]',
    to: 'low > value || value > high',
  },
  {
    name: 'a recorded mark may span two blocks',
    ...RECORD,
    from: 'Math.floor(low / BLOCK.locks) === Math.floor(high / BLOCK.locks) && low % BLOCK.locks !== 0',
    to: 'low % BLOCK.locks !== 0',
  },
  {
    name: 'a recorded mark may be an administrator’s limit',
    ...RECORD,
    from: 'isAligned && low > LOCK_MARKS.from && ',
    to: 'isAligned && ',
  },
  // Whether the process of a record lives.
  {
    name: 'a reused pid is alive',
    ...LIFE,
    from: 'seen.startTime === startTime && isLiving(seen)',
    to: 'isLiving(seen)',
  },
  {
    name: 'a process of another boot is looked up',
    ...LIFE,
    from: "if (table.bootId() !== bootId) return 'dead';",
    to: '',
  },
  {
    name: 'a process of another pid namespace is looked up',
    ...LIFE,
    from: "pidNamespace === '' || table.pidNamespace() !== pidNamespace",
    to: "pidNamespace === ''",
  },
  {
    name: 'an identity without a start time is judged',
    ...LIFE,
    from: "pid > 0 && startTime !== '' && bootId !== ''",
    to: "pid > 0 && bootId !== ''",
  },
  {
    name: 'an older process is a child',
    ...TREE,
    from: 'if (Number(seen.startTime) < Number(parent.startTime)) continue;',
    to: '',
  },
  {
    name: 'a pid that was seen is signalled whatever it is now',
    ...TREE,
    from: 'isLiving(now) && now.startTime === startTime',
    to: 'isLiving(now)',
  },
  {
    name: 'an older process is a carrier',
    ...TREE,
    from: 'pid === table.self || Number(startTime) < Number(self.startTime)',
    to: 'pid === table.self',
  },
  {
    name: 'any process is of the group',
    ...GROUP,
    from: 'alive.some((one) => one.group === group)',
    to: 'alive.length > 0',
  },
  // Which folder.
  { name: 'folders are compared without the device', ...FOLDER, from: 'a.dev === b.dev && a.ino', to: 'a.ino' },
  { name: 'folders are compared without the inode', ...FOLDER, from: 'a.ino === b.ino && ', to: '' },
  {
    name: 'the time of birth is not compared',
    ...FOLDER,
    from: 'a.born === undefined || b.born === undefined || a.born === b.born',
    to: 'true',
  },
  {
    name: 'an unknown time of birth is another one',
    ...FOLDER,
    from: 'a.born === undefined || b.born === undefined || a.born === b.born',
    to: 'a.born === b.born',
  },
  {
    name: 'the time of birth is not recorded',
    ...FOLDER_IN,
    from: 'isKnown ? { path, dev, ino, born: birthtimeMs } : { path, dev, ino }',
    to: 'isKnown ? { path, dev, ino } : { path, dev, ino }',
  },
  { name: 'the time of the last change is a time of birth', ...FOLDER_IN, from: ' && birthtimeMs !== ctimeMs', to: '' },
  {
    name: 'a record of another folder is of this one',
    ...FOLDER_IN,
    from: ' && !isSameFolder(folder, here)',
    to: ' && isSameFolder(folder, here) && false',
  },
  {
    name: 'a record of another boot is compared by folder',
    ...FOLDER_IN,
    from: ' && bootId === ownIdentity().bootId',
    to: '',
  },
  { name: 'a directory of the same inode on another device is held', ...OPEN, from: ' && stat.dev === dev', to: '' },
  { name: 'a directory of another inode is held', ...OPEN, from: ' && stat.ino === ino', to: '' },
  {
    name: 'the roster shows records of another folder',
    ...ROSTER,
    from: 'record && isElsewhere(record, this.#here()) ? undefined : record',
    to: 'record',
  },
  {
    name: 'a record without a folder is proven',
    ...ROSTER,
    from: 'folder !== undefined || (pid !== undefined && holdsOpen(pid, here))',
    to: 'folder !== undefined || pid !== undefined',
  },
  {
    name: 'a record without a folder is never proven',
    ...ROSTER,
    from: 'folder !== undefined || (pid !== undefined && holdsOpen(pid, here))',
    to: 'folder !== undefined',
  },
  {
    name: 'an orphan is ended without proof',
    ...ORPHANS,
    from: '.filter((record) => serves(store, record));',
    to: '.filter((record) => record.name !== store.paths.folder);',
  },
  {
    name: 'the record of another folder stays',
    ...ORPHANS,
    from: 'for (const { name } of store.roster.elsewhere()) store.roster.remove(name);',
    to: '',
  },
  {
    name: 'a worker that a person started is ended',
    ...ORPHANS,
    from: 'record.name !== LEAD && record.by_hand !== true',
    to: 'record.name !== LEAD',
  },
  {
    name: 'marks of another boot prove an orphan',
    ...ORPHANS,
    from: 'mark.bootId === processes.bootId() && matches(mark, suspect)',
    to: 'matches(mark, suspect)',
  },
  {
    name: 'a takeover ends a process without proof',
    ...LEADERSHIP,
    from: 'owner.pid === process.pid || !isProven(owner, store.pinned.identity)',
    to: 'owner.pid === process.pid',
  },
  {
    name: 'a takeover ends the process itself',
    ...LEADERSHIP,
    from: 'owner.pid === process.pid || !isProven(owner, store.pinned.identity)',
    to: '!isProven(owner, store.pinned.identity)',
  },
  {
    name: 'a takeover signals a pid without a look at it',
    ...LEADERSHIP,
    from: "if (livenessOf(owner) === 'alive') process.kill(owner.pid, 'SIGKILL');",
    to: "process.kill(owner.pid, 'SIGKILL');",
  },
  {
    name: 'a lead is recorded without its folder',
    ...LEADERSHIP,
    from: '      folder: store.pinned.identity,\n',
    to: '',
  },
  {
    name: 'a process is adopted without proof',
    ...SUPERVISOR,
    from: 'if (!isProven(record, pinned.identity)) return undefined;',
    to: '',
  },
  {
    name: 'a dead process is adopted',
    ...SUPERVISOR,
    from: "if (!record || !identity || livenessOf(identity) !== 'alive') return undefined;",
    to: 'if (!record || !identity) return undefined;',
  },
  {
    name: 'a signal goes to a pid without a look at it',
    ...SUPERVISOR,
    from: "!life.identity ||\n      livenessOf(life.identity) !== 'alive'\n",
    to: '!life.identity\n',
  },
  {
    name: 'another pid’s record makes a process ready',
    ...SUPERVISOR,
    from: ' || record.pid !== life.child?.pid',
    to: '',
  },
  {
    name: 'a member is recorded without its folder',
    ...SUPERVISOR,
    from: '      folder: store.pinned.identity,\n',
    to: '',
  },
  {
    name: 'a joined member is recorded without its folder',
    ...JOIN,
    from: '    folder: store.pinned.identity,\n',
    to: '',
  },
  { name: 'a lease does not name its folder', ...LEASE, from: ', folder: folderAt(disk, paths.folder) };', to: ' };' },
  {
    name: 'the lease of another folder has a holder',
    ...LEASE,
    from: "if (owner && isElsewhere(owner, folderAt(disk, paths.folder))) return { life: 'dead', owner: undefined };",
    to: '',
  },
  {
    name: 'the owner of another folder’s lease is shown',
    ...LEASE,
    from: 'owner && isElsewhere(owner, folderAt(disk, paths.folder)) ? undefined : owner',
    to: 'owner',
  },
  {
    name: 'a lease that another process has is given back',
    ...LEASE,
    from: 'owner?.pid === me.pid && owner.startTime === me.startTime && owner.since === me.since',
    to: 'owner !== undefined',
  },
  {
    name: 'a lease that the same process took again is given back',
    ...LEASE,
    from: ' && owner.since === me.since',
    to: '',
  },
  {
    name: 'a copied lock is held by the original',
    ...COPIED_LOCK,
    from: "isElsewhere(who, folder) ? 'dead' : alive(who)",
    to: 'alive(who)',
  },
  {
    name: 'the lock of an unknown process is taken over',
    ...LOCK,
    from: "snapshot.kind === 'held' && alive(snapshot.by) === 'dead'",
    to: "snapshot.kind === 'held' && alive(snapshot.by) !== 'alive'",
  },
  {
    name: 'a lock that another process took is unlinked',
    ...LOCK,
    from: 'if (lookAt(disk, path)?.ino === ino) removeFile',
    to: 'if (ino > 0) removeFile',
  },
  {
    name: 'a token does not name its folder',
    ...TOKEN,
    from: 'const at = folder && { dev: folder.dev, ino: folder.ino, born: folder.born };',
    to: 'const at = folder && undefined;',
  },
  {
    name: 'a token forgets the time of birth',
    ...TOKEN,
    from: 'ino: folder.ino, born: folder.born };',
    to: 'ino: folder.ino };',
  },
  {
    name: 'a token is made in a folder that took the place',
    ...OWN_TOKEN,
    from: '      this.#pinned?.check();\n',
    to: '',
  },
  {
    name: 'a pinned folder is any folder of that path',
    ...PINNED,
    from: 'now?.dev === dev && now.ino === ino;',
    to: 'now !== undefined;',
  },
  {
    name: 'a pinned folder is not checked',
    ...PINNED,
    from: 'if (isIt(now)) return;',
    to: 'if (now !== null) return;',
  },
  {
    name: 'a pinned folder is reached by its path',
    ...PINNED,
    from: 'open && isReachable && typeof given',
    to: 'isReachable && open && path === given && typeof given',
  },
  {
    name: 'a closed descriptor is used',
    ...PINNED,
    from: 'open && isReachable && typeof given',
    to: 'isReachable && typeof given',
  },
  // Names, and a process that stands still between two renames.
  {
    name: 'an archiving does not check the folder before the first rename',
    ...MOVE,
    from: '  makeDirectory(disk, shelf, { durable: true });\n  pinned.check();\n',
    to: '  makeDirectory(disk, shelf, { durable: true });\n',
  },
  {
    name: 'an archiving does not check the folder before the second rename',
    ...MOVE,
    from: '    pinned.check();\n  }\n  rename(disk, from.folder, to.folder);',
    to: '  }\n  rename(disk, from.folder, to.folder);',
  },
  {
    name: 'an archiving does not hold the name',
    ...MOVE,
    from: 'withName(store.paths.root, store.paths.name, store, () => putAway(store.disk, store.paths, stamp, store.pinned));',
    to: '((work: () => TeamPaths) => work())(() => putAway(store.disk, store.paths, stamp, store.pinned));',
  },
  {
    name: 'a recovery of the archive does not hold the name',
    ...MOVE,
    from: 'withFreeName(root, paths.name, { disk, clock: realClock }, () => finishArchive(disk, paths, stamp)) ?? []',
    to: 'finishArchive(disk, paths, stamp) ?? []',
  },
  {
    name: 'a creation does not hold the name',
    ...STALLED,
    from: 'return withName(at.root, team.name, { disk, clock, lockTimeoutMs }, () => {',
    to: 'return ((_: unknown, make: () => TeamStore) => make())(lockTimeoutMs, () => {',
  },
  {
    name: 'a creation does not look at its reservation before it sets a board aside',
    ...CREATE,
    from: '    requireReserved(reserved, paths);\n    setAsideOrphan',
    to: '    setAsideOrphan',
  },
  {
    name: 'a creation does not look at its reservation before the rename of the board',
    ...CREATE,
    from: "    requireReserved(reserved, paths);\n    onDisk('create', paths.board",
    to: "    onDisk('create', paths.board",
  },
  {
    name: 'a creation does not look at its reservation before the rename of the folder',
    ...CREATE,
    from: "    requireReserved(reserved, paths);\n    onDisk('create', paths.folder",
    to: "    onDisk('create', paths.folder",
  },
  {
    name: 'a failed creation removes another team’s folder',
    ...CREATE,
    from: 'if (reserved.isThere()) removeEmpty',
    to: 'if (reserved.path) removeEmpty',
  },
  {
    name: 'the lock of a name copied with a project holds',
    ...NAME,
    from: 'folder: folderAt(disk, teams), isOurs: true',
    to: 'isOurs: true',
  },
  {
    name: 'remains are put away while their lead runs',
    ...REMAINS,
    from: '      refuseLed(disk, paths, pinned);\n',
    to: '',
  },
  {
    name: 'remains are put away that became a team again',
    ...REMAINS,
    from: 'if (remainsOf(paths.root, paths.name, disk) === undefined)',
    to: 'if (paths.root === undefined)',
  },
  {
    name: 'a dead process of the original is told',
    ...COPIED,
    from: "livenessIn(record) !== 'dead'",
    to: "livenessIn(record) !== 'unknown'",
  },
  {
    name: 'a copy with its own lead is told of the original',
    ...COPIED,
    from: 'if (!isElsewhere(owner, folderAt(disk, paths.folder))) return undefined;',
    to: '',
  },
  {
    name: 'a log that was replaced is folded on',
    ...FOLD,
    from: 'if (known.compare(news, 0, Math.min(read, known.length)) !== 0) throw replaced();',
    to: '',
  },
  // One mark a start.
  {
    name: 'a mark of the lead is not recorded',
    ...CHILDREN,
    from: 'if (record) store.roster.write(',
    to: 'if (record?.phase === undefined) store.roster.write(',
  },
  {
    name: 'a mark of the lead is not told to the reaper before the start',
    ...CHILDREN,
    from: '    reaper().add(mark);\n',
    to: '',
  },
  {
    name: 'the programs of the lead share a mark',
    ...CHILDREN,
    from: 'const [mark] = file === undefined ? [] : marks.draw(1, run, () => recordedMarks(store.paths.root));',
    to: 'const [mark] = file === undefined ? [] : this.#marks.size > 0 ? this.#marks : marks.draw(1, run, () => recordedMarks(store.paths.root));',
  },
  {
    name: 'a sweep ends what a program of another start left',
    ...CHILDREN,
    from: 'await this.#sweeps.end(drawn);',
    to: 'await this.#sweeps.end([...this.#marks]);',
  },
  {
    name: 'a command is ended before its shell',
    ...SWEEP,
    from: 'for (const one of lineage(hunt, seen)) if',
    to: 'for (const one of lineage(hunt, seen).slice(-1)) if',
  },
];
