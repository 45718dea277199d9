/** `sandbox.lend`: what a person lends to isolated programs, what may not be lent, and that a failure names the key. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Workplace, type Answer } from '../support/cli.ts';

let place: Workplace;
let home: string;
let cwd: string;
beforeEach(() => {
  place = new Workplace();
  home = join(place.root, 'home');
  cwd = join(place.root, 'work');
  mkdirSync(cwd);
  for (const folder of ['data', 'cache', 'other']) {
    mkdirSync(join(home, folder));
    writeFileSync(join(home, folder, 'file'), `of ${folder}\n`);
  }
});

interface Lent {
  readonly read?: string[];
  readonly write?: string[];
  readonly sockets?: string[];
}

/** Runs one isolated command. */
async function run(command: string, { plan = {}, mine }: { plan?: Lent; mine?: Lent } = {}): Promise<Answer> {
  const members = [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'workspace-write' }];
  const content = { name: 'crew', sandbox: { lend: plan }, members, tasks: [{ subject: 'Work', run: command }] };
  writeFileSync(join(cwd, 'plan.json'), JSON.stringify(content));
  if (mine !== undefined)
    place.put('home/config/teams/config.yaml', JSON.stringify({ sandbox: { bwrap: 'required', lend: mine } }));
  return place.say(['run', 'plan.json', '--fresh'], { cwd });
}
const result = (): string => readFileSync(join(cwd, '.teams/crew/results/1.md'), 'utf8');

const LOOK =
  'for d in data cache other; do cat ~/$d/file; ( echo new > ~/$d/new ) && echo "wrote $d"; done 2>/dev/null; true';

describe('what is lent', () => {
  it('a plan and the configuration lend; all else is not there', async () => {
    symlinkSync(join(home, 'data'), join(home, 'linked'));
    const { code } = await run(`${LOOK}; cat ~/linked/file`, {
      plan: { read: ['~/linked'], write: [join(home, 'cache')] },
      mine: { read: ['~/data', '~/missing'] },
    });
    expect(code).toBe(0);
    expect(result()).toContain('of data\nof cache\nwrote cache\nof data\n');
    expect(['data', 'cache', 'other'].filter((folder) => existsSync(join(home, folder, 'new')))).toEqual(['cache']);
  });

  it('a socket can be connected to, and its neighbours are not there', async () => {
    const path = join(home, 'cache/sock');
    const server = createServer((socket) => socket.end('hello'));
    await once(server.listen(path), 'listening');
    onTestFinished(() => void server.close());
    const connect = `"${process.execPath}" -e 'require("net").connect(process.argv[1]).pipe(process.stdout)' ${path}`;
    const { code } = await run(`${connect}; ls ${join(home, 'cache')}`, { plan: { sockets: [path] } });
    expect(code).toBe(0);
    expect(result()).toContain('hellosock\n');
  });

  it('a plan that is shown names it', async () => {
    await run('true', { plan: { write: ['~/cache'] } });
    const shown = await place.say(['run', 'plan.json', '--dry-run'], { cwd });
    expect(shown.out).toContain('Lent to isolated programs: ~/cache (write)');
  });
});

describe('commands that judge work of an isolated member', () => {
  const members = [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'workspace-write' }];
  async function judged(rest: object, mine: Lent = {}): Promise<Answer> {
    const tasks = [{ subject: 'Work', run: 'true' }];
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify({ name: 'crew', members, tasks, ...rest }));
    place.put('home/config/teams/config.yaml', JSON.stringify({ sandbox: { bwrap: 'required', lend: mine } }));
    return place.say(['run', 'plan.json', '--fresh'], { cwd });
  }
  const NEEDS = 'cat ~/data/file && echo judged > ~/cache/new && ! cat ~/other/file';
  const lend = { read: ['~/data'], write: ['~/cache'] };

  it('a gate gets what the plan and the configuration lend', async () => {
    expect((await judged({ gates: { test: NEEDS } })).code).toBe(1);
    const { code, out } = await judged({ gates: { test: NEEDS }, sandbox: { lend: { read: lend.read } } }, lend);
    expect(out).toContain('TEAM COMPLETE');
    expect(code).toBe(0);
    expect(readFileSync(join(home, 'cache/new'), 'utf8')).toBe('judged\n');
  });

  it('`verify:` gets it', async () => {
    const tasks = [{ subject: 'Work', run: 'true', verify: [NEEDS] }];
    expect((await judged({ tasks })).code).toBe(1);
    expect((await judged({ tasks, sandbox: { lend } })).code).toBe(0);
  });

  it('a gate for which something is named that may not be lent does not run', async () => {
    const { code, out, err } = await judged({
      gates: { test: 'touch ran' },
      sandbox: { lend: { read: ['~'] } },
    });
    expect(code, `${out}${err}`).not.toBe(0);
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });
});

describe('what may not be lent', () => {
  it.each([
    ['~/', /Expected an absolute path/],
    ['/', /Expected an absolute path/],
    ['relative', /Expected an absolute path/],
    ['/tmp/../etc', /without `\.\.`/],
  ])('%s is refused with the plan', async (path, why) => {
    const { code, err } = await run('true', { plan: { read: [path] } });
    expect(code).toBe(2);
    expect(err).toMatch(why);
  });

  it.each([
    ['HOME', 'is your home directory'],
    ['ROOT', 'is your home directory, or contains it'],
    ['HOME/state', 'has to do with your key or the team'],
    ['HOME/state/teams/key', 'has to do with your key or the team'],
    ['HOME/link-to-state', 'has to do with your key or the team'],
    ['WORK/.teams/crew', 'has to do with your key or the team'],
    ['WORK/src', 'lies in the workspace'],
    ['/proc/self', 'belongs to the system'],
    ['/dev/null', 'belongs to the system'],
  ])('%s is refused in one sentence, and nothing starts', async (path, why) => {
    mkdirSync(join(home, 'state/teams'), { recursive: true });
    mkdirSync(join(cwd, 'src'));
    symlinkSync(join(home, 'state'), join(home, 'link-to-state'));
    const real = path.replace('HOME', home).replace('ROOT', place.root).replace('WORK', cwd);
    for (const how of ['read', 'write'] as const) {
      const { code, out, err } = await run('touch ran', { plan: { [how]: [real] } });
      expect(code).not.toBe(0);
      expect(`${out}${err}`.replaceAll('\n', ' ')).toContain(`sandbox.lend.${how}: ${real} ${why}`);
      expect(existsSync(join(cwd, 'ran'))).toBe(false);
    }
  });

  it('what lies in a folder that is lent to be written is refused: a member can put a link there', async () => {
    const [cache, keys] = [join(home, 'cache'), join(home, '.ssh')];
    mkdirSync(keys);
    writeFileSync(join(keys, 'id'), 'a key');
    symlinkSync(keys, join(cache, 'data'));
    const plan = { write: ['~/cache'], read: ['~/cache/data'] };
    const { code, out, err } = await run('cat ~/cache/data/id', { plan });
    expect(`${out}${err}`).not.toContain('a key');
    expect(code).not.toBe(0);
    expect(`${out}${err}`.replaceAll('\n', ' ')).toContain('lies in a folder that is lent to be written');
  });

  it('an untrusted project lends nothing', async () => {
    mkdirSync(join(cwd, '.teams'));
    writeFileSync(
      join(cwd, '.teams/config.yaml'),
      JSON.stringify({ sandbox: { bwrap: 'required', lend: { read: ['~/data'] } } }),
    );
    const { err } = await run(LOOK);
    expect(err).toMatch(/sandbox\.lend/);
    expect(result()).not.toContain('of data');
  });
});

describe('a failure', () => {
  it('of an isolated command that lacks something names the key', async () => {
    const { code, out } = await run('cat ~/data/file');
    expect(code).toBe(1);
    expect(out).toMatch(/No such file or directory \(it ran isolated: `sandbox\.lend` lends it more paths and sockets/);
  });

  it('of another cause does not', async () => {
    const { out } = await run('echo broken >&2; exit 3');
    expect(out).toContain('exit 3: broken');
    expect(out).not.toContain('sandbox.lend');
  });
});
