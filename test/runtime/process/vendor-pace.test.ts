/** How members of several teams call one vendor, through the file of its credential. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test, vi, onTestFinished } from 'vitest';
import { identityOf, ownIdentity } from '../../../src/os/process-table.ts';
import { VendorPace } from '../../../src/runtime/process/vendor-pace.ts';
import { breakLocks, leftLocks } from '../../../src/store/team/abandoned-locks.ts';
import { tempDir } from '../../support/temp.ts';
import { ToldTeam } from '../../support/told-team.ts';

let state: string;
beforeEach(() => {
  state = tempDir();
  vi.stubEnv('XDG_STATE_HOME', state);
  onTestFinished(() => void vi.unstubAllEnvs());
});

const folder = (): string => join(state, 'teams', 'vendors');
const file = (): string => join(folder(), readdirSync(folder()).find((name) => name.endsWith('.json')) ?? '');
const placeOf = ({ clock, paths }: ToldTeam['store']) => ({ clock, folder: paths.folder });
const known = (): unknown => JSON.parse(readFileSync(file(), 'utf8'));

test('a clock that is set back or forward after a refusal changes no pause', async () => {
  const { store, clock } = new ToldTeam({ ada: 'executor/exec' });
  let shift = 0;
  const now = clock.now.bind(clock);
  clock.now = () => now() + shift;
  const pace = new VendorPace(placeOf(store), 'acme', 'ada');
  expect(await pace.begin()).toBe(0);
  const pause = await pace.refused(30_000);
  const other = new VendorPace(placeOf(store), 'acme', 'bob');
  for (shift of [-3_600_000, 3_600_000]) for (const one of [pace, other]) expect(one.left()).toBe(pause);
  clock.advance(pause + 1);
  for (const one of [pace, other]) expect(one.left()).toBe(0);
});

test('a third member waits for a slot until one of two calls was answered; then nobody writes the file', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const [ada, bob, cy] = ['ada', 'bob', 'cy'].map((caller) => new VendorPace(placeOf(store), 'acme', caller));
  if (!ada || !bob || !cy) throw new Error('three');
  expect([await ada.begin(), await bob.begin()]).toEqual([0, 0]);
  expect(await cy.begin()).toBeGreaterThan(0);
  await ada.answered();
  expect(await cy.begin()).toBe(0);
  await bob.answered();
  for (let n = 0; n < 3; n += 1) {
    await cy.answered();
    await cy.begin();
  }
  await cy.answered();
  const before = known();
  expect(before).toMatchObject({ slots: 32, callers: {} });
  expect(await cy.begin()).toBe(0);
  await cy.end();
  await cy.answered();
  expect(known()).toEqual(before);
});

test('two teams with one key share a pause, and another key has its own', async () => {
  const [one, two] = [new ToldTeam({ ada: 'executor/exec' }), new ToldTeam({ ada: 'executor/exec' })];
  const [first, second] = [one, two].map(({ store }) => new VendorPace(placeOf(store), 'acme\nkey', 'ada'));
  const other = new VendorPace(placeOf(two.store), 'acme\nother key', 'ada');
  await first?.begin();
  await first?.refused(30_000);
  expect(second?.left()).toBeGreaterThanOrEqual(30_000);
  expect(other.left()).toBe(0);
  // The key itself is written nowhere.
  expect(readFileSync(file(), 'utf8')).not.toContain('key');
  expect(readdirSync(folder()).filter((name) => !name.endsWith('.json'))).toEqual([]);
});

test('the slots of a process that was killed are free at once, and those of a living one are not', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const child = spawn('sleep', ['60']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const process = identityOf(child.pid ?? 0);
  const [ada, bob, cy] = ['ada', 'bob', 'cy'].map((caller) => new VendorPace(placeOf(store), 'acme', caller));
  await ada?.begin();
  await bob?.begin();
  const record = JSON.parse(readFileSync(file(), 'utf8')) as { callers: Record<string, object> };
  const [holder = ''] = Object.keys(record.callers);
  const callers = { ...record.callers, [holder]: { ...record.callers[holder], process } };
  writeFileSync(file(), JSON.stringify({ ...record, callers }));
  expect(await cy?.begin()).toBeGreaterThan(0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await cy?.begin()).toBe(0);
});

test('a told allowance is used up by all teams together, then all wait for its reset', async () => {
  const { store, clock } = new ToldTeam({ ada: 'executor/exec' });
  const paces = ['ada', 'bob', 'cy'].map((caller) => new VendorPace(placeOf(store), 'acme', caller));
  const [ada, bob, cy] = paces;
  await ada?.begin();
  await ada?.allowed({ limit: 20, left: 2, resetMs: 40_000 });
  await ada?.answered();
  expect([await ada?.begin(), await bob?.begin()]).toEqual([0, 0]);
  // Their answers may tell that more is allowed.
  expect(await cy?.begin()).toBe(500);
  await Promise.all([ada?.answered(), bob?.answered()]);
  expect(await cy?.begin()).toBe(40_000);
  expect(known()).toMatchObject({ allowance: { left: 0, limit: 20 } });
  clock.advance(40_001);
  expect(await cy?.begin()).toBe(0);
});

const FAR = 1e300;
const other = () => ({ bob: { team: 'theirs', process: ownIdentity(), askedAt: FAR } });
const served = (team: string) => ({ served: { [team]: 1_000 }, countedSince: FAR });

test.each<[what: string, forged: (team: string) => object | string | undefined]>([
  ['a pause that ends in the far future', () => ({ refusals: 5, until: FAR, length: FAR })],
  ['no slot', () => ({ slots: 0 })],
  ['an allowance that is never whole again', () => ({ allowance: { left: 0, until: FAR, limit: 20 } })],
  ['an allowance of nothing', () => ({ allowance: { left: 0, until: 0, limit: 0 } })],
  ['one who waits since the far future', (team) => ({ callers: other(), ...served(team) })],
  ['calls that began in the far future', () => ({ slots: 1, open: { bob: FAR } })],
  ['as many refusals as a number can count', () => ({ refusals: Number.MAX_SAFE_INTEGER, learnedAt: FAR })],
  ['a later version', () => ({ version: 99 })],
  ['as many calls as a number can count', (team) => ({ served: { [team]: Number.MAX_SAFE_INTEGER }, countedSince: 0 })],
  ['a negative number', () => ({ refusals: -1 })],
  ['another form', () => ({ open: [] })],
  ['no JSON', () => '{'],
  ['nothing', () => ''],
])('a forged file keeps nobody from calling, and is mended: %s', async (_, forged) => {
  await expectMended((path, { paths }) => {
    const record = forged(paths.folder);
    const { bootId } = ownIdentity();
    const whole = { version: 1, bootId, refusals: 0, until: 0 };
    writeFileSync(path, typeof record === 'string' ? record : JSON.stringify({ ...whole, ...record }));
  });
});

test.each<[what: string, put: (path: string) => void]>([
  ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ['an empty directory', (path) => mkdirSync(path)],
  [
    'a directory with files',
    (path) => {
      mkdirSync(join(path, 'sub'), { recursive: true });
      writeFileSync(join(path, 'sub', 'kept'), 'kept');
    },
  ],
  ['a link to nothing', (path) => symlinkSync(join(state, 'nothing'), path)],
  ['a link to a file', (path) => symlinkSync(linked(), path)],
  ['a link to itself', (path) => symlinkSync(path, path)],
  ['a second name of a file', (path) => linkSync(linked(), path)],
  ['a socket', (path) => void execFileSync('python3', ['-c', BIND, path])],
  ['a file that may not be read', (path) => writeFileSync(path, '{}', { mode: 0 })],
  ['a large file without contents', (path) => execFileSync('truncate', ['-s', '60G', path])],
])('%s in the place of the file keeps nobody from calling, and is mended', async (what, put) => {
  await expectMended(put);
  if (existsSync(join(state, 'linked'))) expect(readFileSync(join(state, 'linked'), 'utf8')).toBe('mine');
  const kept = readdirSync(folder(), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('/kept'));
  expect(kept).toHaveLength(what === 'a directory with files' ? 1 : 0);
});

test.each<[what: string, put: (path: string) => void]>([
  ['a directory', (path) => mkdirSync(join(path, 'sub'), { recursive: true })],
  ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ['a link', (path) => symlinkSync(join(state, 'nothing'), path)],
  ['another text', (path) => writeFileSync(path, 'somebody')],
])('%s in the place of its lock is one that `teams doctor --break-lock` removes', async (_, put) => {
  await expectMended((path, { paths }) => {
    const lock = path.replace('.json', '.lock');
    put(lock);
    const left = leftLocks(paths, 0);
    expect(left).toMatchObject([{ path: lock }]);
    breakLocks(left);
  });
});

test.each<[what: string, put: (path: string) => void]>([
  [
    'a file in the place of its folder',
    (path) => {
      rmSync(dirname(path), { recursive: true });
      writeFileSync(dirname(path), '');
    },
  ],
  [
    'a link in the place of its folder',
    (path) => {
      rmSync(dirname(path), { recursive: true });
      symlinkSync(state, dirname(path));
    },
  ],
])('%s keeps nobody from calling', async (_, put) => {
  await expectMended(put);
});

const BIND = 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])';

function linked(): string {
  const path = join(state, 'linked');
  writeFileSync(path, 'mine');
  return path;
}

async function expectMended(forge: (path: string, store: ToldTeam['store']) => void): Promise<void> {
  const { store, clock } = new ToldTeam({ ada: 'executor/exec' });
  const pace = new VendorPace(placeOf(store), 'acme', 'ada');
  await pace.begin();
  await pace.refused(undefined);
  clock.advance(120_000);
  await pace.begin();
  await pace.answered();
  const path = file();
  rmSync(path);
  forge(path, store);
  expect(await pace.begin()).toBe(0);
  await pace.refused(undefined);
  expect(pace.left()).toBeLessThanOrEqual(60_000);
  clock.advance(60_001);
  expect(await pace.begin()).toBe(0);
  await pace.answered();
  expect(pace.left()).toBe(0);
}
