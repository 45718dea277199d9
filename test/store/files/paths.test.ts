/** Paths of a team: no two things of a team can have one path, whatever its members are called. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { normalize } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isName, LEAD, type Name } from '../../../src/model/text/names.ts';
import { WISDOM_FILES } from '../../../src/model/pipeline/wisdom-files.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { rootPaths, teamPaths, type TeamLock } from '../../../src/store/files/paths.ts';
import { Locks } from '../../../src/store/lock/lock.ts';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { openStore } from '../../../src/store/team/team-store.ts';
import { addWisdom } from '../../../src/store/session/wisdom-store.ts';
import { realClock } from '../../support/clock.ts';
import { fastClock } from '../../support/clock-fast.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const TEAM = name('login');

/** What files and locks are called, with and without what is added to members' names. */
const WORDS =
  'bus vendors wisdom explorations config state events tokens locks processes logs results blobs homes mail plan ' +
  'baseline report spec discussions artifacts lead inbox history log tasks lease session task taken bad bell teams archive';
const hostile = fc
  .constantFrom(...WORDS.split(' '))
  .chain((word) => fc.constantFrom(word, `${word}-lock`, `${word}-inbox`, `${word}-json`, `1-${word}`, `${word}0`));
const names: fc.Arbitrary<Name> = fc
  .oneof(hostile, fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,6}[a-z0-9])?$/), fc.constant(LEAD))
  .filter((text): text is Name => isName(text) || text === LEAD);

const isLock = (value: unknown): value is TeamLock =>
  typeof value === 'object' && value !== null && 'path' in value && 'earlier' in value;

/** Every path of a team with these members: what it is for → the path. Folders around others are left out. */
function everyPath(members: readonly Name[], root = '/root'): [string, string][] {
  const paths = teamPaths(root, TEAM);
  const { session, root: _root, team: _team, name: _name, ...rest } = paths;
  const fixed = Object.entries({ ...rest, ...session }).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[key, value]] : isLock(value) ? [[key, value.path]] : [],
  );
  const ofMember = members.flatMap((member): [string, string][] => {
    const { directory: _directory, takenPrefix: _prefix, ...inbox } = paths.inbox(member);
    const own = [
      'lease',
      'leaseOwner',
      'leaseLock',
      'process',
      'output',
      'outputParts',
      'home',
      'agentSession',
    ] as const;
    return [
      ...own.map((key): [string, string] => [`${key} of ${member}`, paths[key](member)]),
      ...Object.entries(inbox).flatMap(([key, value]): [string, string][] =>
        typeof value === 'string' ? [[`${key} of ${member}`, value]] : [],
      ),
      [`segment of ${member}`, inbox.segment(1, 'X')],
      [`oversized of ${member}`, inbox.oversized('X')],
    ];
  });
  const ofTask = ['1', '2', '10'].flatMap((id): [string, string][] => [
    [`view ${id}`, paths.taskView(id)],
    ...[1, 2].map((epoch): [string, string] => [`file ${id} ${epoch}`, paths.taskFile(id, epoch)]),
    ...[undefined, 1, 2].map((epoch): [string, string] => [`result ${id} ${epoch}`, paths.result(id, epoch)]),
  ]);
  return [
    ...fixed,
    ...ofMember,
    ...ofTask,
    ...WISDOM_FILES.map((file): [string, string] => [`wisdom ${file}`, paths.wisdom(file)]),
    ['a blob', paths.blob('0'.repeat(64))],
  ];
}

describe('the paths of a team', () => {
  it('no two functions give one path, for any members', () => {
    fc.assert(
      fc.property(fc.uniqueArray(names, { maxLength: 8 }), (members) => {
        const seen = new Map<string, string>();
        for (const [what, path] of everyPath(members)) {
          expect(seen.get(path.toLowerCase()), `${what}: ${path}`).toBeUndefined();
          seen.set(path.toLowerCase(), what);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each(['/', '/root', '/a//b/../c/', '.', 'a/./b'])('each is normalized, in a root that is given as %s', (root) => {
    for (const [what, path] of everyPath([LEAD, TEAM], root)) expect(normalize(path), what).toBe(path);
  });

  it('the lock of a name is the folder, archive or configuration of no team', () => {
    fc.assert(
      fc.property(names, names, (one, other) => {
        const at = rootPaths('/root');
        const others = [teamPaths('/root', other).folder, at.archive, at.config, at.tokens, `${at.teams}/skills`];
        expect([...others, ...(one === other ? [] : [at.nameLock(other)])]).not.toContain(at.nameLock(one));
      }),
    );
  });
});

describe('the own locks of a team', () => {
  it.each(['bus', 'vendors', 'wisdom', 'explorations'])(
    'the locks of a team are free while a member called %s lives',
    async (member) => {
      const { store } = new ToldTeam({ [member]: 'executor/exec' });
      const lease = store.paths.lease(name(member));
      mkdirSync(lease);
      expect(await addWisdom(store, 'learnings', ['one'])).toEqual(['one']);
      await store.vendors.update(() => ({ next: { version: 1, vendors: {} }, result: 0 }));
      expect((await store.bus.log({ kind: 'state_update', summary: 'x' } as never)).seq).toBe(1);
      rmSync(lease, { recursive: true });
    },
  );

  it('a lock that a program of the version before holds is waited for, and it waits for ours', async () => {
    const { store } = new ToldTeam({ ada: 'executor/exec' });
    const { paths, disk } = store;
    const clock = fastClock();
    clock.race(500);
    const earlier = new Locks(paths.tokens, { disk, clock: realClock });
    const ours = new Locks(paths.tokens, { disk, clock });
    const lock = paths.stateLock;
    const held = earlier.tryLock(lock.earlier, () => ours.withLock(lock, () => 'ours'));
    await expect(held.done ? held.value : undefined).resolves.toBe('ours');
    const other = await ours.withLock(lock, () => earlier.tryLock(lock.earlier, () => 'theirs').done);
    expect(other).toBe(false);
    earlier.close();
    ours.close();
  });

  it('a team of the version before, which has no directory for locks, gets one', async () => {
    const { store } = new ToldTeam({ ada: 'executor/exec' });
    rmSync(store.paths.locks, { recursive: true });
    await store.config.update((current) => ({ next: current, result: 0 }));
    expect(realDisk.readdirSync(store.paths.locks)).toEqual([]);
  });

  it('a lock left at its earlier path by a killed process is taken over', async () => {
    const { paths, clock, seal } = new ToldTeam({ ada: 'executor/exec' }).store;
    const token = JSON.stringify({ ...ownIdentity(), startTime: '1', nonce: '0'.repeat(16) });
    writeFileSync(paths.stateLock.earlier, token);
    const store = openStore(paths, { clock, seal });
    await store.config.update((current) => ({ next: current, result: 0 }));
    await store.state.update(() => ({ result: 0 }));
    expect(() => readFileSync(paths.stateLock.earlier)).toThrow('ENOENT');
    await store.close();
  });
});
