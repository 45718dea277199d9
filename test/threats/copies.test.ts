/**
 * A copied project has the leases and process records of the original. Its verbs never touch the original's processes,
 * and work in the copy. A moved project is the same one.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { BIN, until, Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { isRunning } from '../support/session.ts';

const HURRY = { TEAMS_SHUTDOWN_TIMEOUT_MS: '2000' };
const statusSchema = z.looseObject({
  lead: z.looseObject({ pid: z.number().nullable(), alive: z.boolean() }),
  members: z.array(z.looseObject({ name: z.string(), pid: z.number().nullable() })),
});

/** A project below the workplace, and the verbs that are run in it. */
class Project {
  readonly place: Workplace;
  readonly root: string;

  constructor(place: Workplace, name: string) {
    this.place = place;
    this.root = join(place.root, name);
    mkdirSync(this.root, { recursive: true });
  }

  at(file: string): string {
    return join(this.root, file);
  }

  teams(...argv: string[]) {
    return this.place.say(argv, { cwd: this.root, environment: HURRY });
  }

  /** A verb as a process; it is ended with the test. */
  start(...argv: string[]) {
    const env = { ...this.place.environment, ...HURRY };
    const child = spawn(process.execPath, [BIN, ...argv], { cwd: this.root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (piece: string) => void (err += piece));
    const said = Promise.all([text(child.stdout), once(child, 'close')]);
    const ended = said.then(([out]) => ({ code: child.exitCode, signal: child.signalCode, out, err }));
    onTestFinished(async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    });
    return { child, ended, told: () => err };
  }

  async pids(): Promise<{ lead: number | null; ada: number | null }> {
    const { out } = await this.teams('status', 'tt', '--json');
    const { lead, members } = statusSchema.parse(JSON.parse(out));
    return { lead: lead.alive ? lead.pid : null, ada: members.find(({ name }) => name === 'ada')?.pid ?? null };
  }

  /** A copy has the locks and the unfinished files of the moment; nobody owns them there. */
  copy(name: string): Project {
    allowLeft(/\/[ocd]\/\.(?:teams|tasks)\//);
    const other = this.at(`../${name}`);
    // Locks and unfinished files come and go while it copies; `cp` reports those and copies the rest.
    const { stderr } = spawnSync('cp', ['-a', this.root, other], { encoding: 'utf8' });
    expect(stderr.replaceAll(/^cp: cannot stat '[^']+\.(?:lock|tmp)': No such file or directory\n/gm, '')).toBe('');
    return new Project(this.place, name);
  }

  go(): void {
    writeFileSync(this.at('go'), '');
  }

  said(name: string): string {
    return existsSync(this.at(name)) ? readFileSync(this.at(name), 'utf8').trim() : '';
  }
}

const WORK = 'pwd > begun; while [ ! -e go ]; do sleep 0.02; done; pwd > done';
const PLAN = {
  name: 'tt',
  members: [{ name: 'ada', role: 'executor', agent: 'exec' }],
  tasks: [
    { subject: 'One', run: WORK },
    { subject: 'Two', run: 'pwd > two', blockedBy: [1] },
  ],
};

/** A project in which a lead and ada are at work. */
async function working(place = new Workplace()) {
  const original = new Project(place, 'o');
  writeFileSync(original.at('plan.json'), JSON.stringify(PLAN));
  const run = original.start('run', 'plan.json', '--yes');
  await until(() => existsSync(original.at('begun')), 'ada works');
  const { lead, ada } = await original.pids();
  if (lead === null || ada === null) throw new Error('The original has no lead or no ada.');
  const isUnharmed = (): boolean => isRunning(lead) && isRunning(ada);
  const finishes = async (): Promise<void> => {
    expect(isUnharmed()).toBe(true);
    expect(await original.pids()).toEqual({ lead, ada });
    original.go();
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(original.said('two')).toBe(original.root);
  };
  return { place, original, run, lead, ada, isUnharmed, finishes };
}

const SAYS = /^teams: Team tt was copied from \S+\/o\/\.teams\/tt: its processes belong to the original\.$/m;

describe('a copy of a project whose team is at work', () => {
  it.each([['delete'], ['cancel']])(
    '%s in the copy ends nothing of the original and archives the copy',
    async (verb) => {
      const { original, finishes } = await working();
      const copy = original.copy('c');
      const { code, err } = await copy.teams(verb, 'tt', '--yes');
      expect([code, err.match(new RegExp(SAYS, 'gm'))?.length]).toEqual([0, 1]);
      expect(existsSync(copy.at('.teams/tt'))).toBe(false);
      await finishes();
    },
  );

  it('a lead of the copy takes over nothing, and does the work in the copy', async () => {
    const { original, finishes } = await working();
    const copy = original.copy('c');
    rmSync(copy.at('begun'));
    const lead = copy.start('lead', 'tt', '--takeover');
    await until(() => existsSync(copy.at('begun')), 'ada of the copy works');
    copy.go();
    await until(() => copy.said('two') !== '', 'ada of the copy has done all');
    expect([copy.said('begun'), copy.said('done'), copy.said('two')]).toEqual([copy.root, copy.root, copy.root]);
    expect((await copy.teams('delete', 'tt', '--yes')).code).toBe(0);
    expect((await lead.ended).err).toMatch(SAYS);
    await finishes();
  });

  it('resume in the copy does the work in the copy', async () => {
    const { original, finishes } = await working();
    const copy = original.copy('c');
    copy.go();
    const { code, err } = await copy.start('resume', 'tt').ended;
    expect([code, SAYS.test(err)]).toEqual([0, true]);
    expect([copy.said('done'), copy.said('two')]).toEqual([copy.root, copy.root]);
    await finishes();
  });

  it('run of the same plan in the copy says whose the processes are, once, and does the work in the copy', async () => {
    const { original, finishes } = await working();
    const copy = original.copy('c');
    copy.go();
    const { code, err } = await copy.start('run', 'plan.json', '--yes').ended;
    expect([code, err.match(new RegExp(SAYS, 'gm'))?.length]).toEqual([0, 1]);
    expect([copy.said('done'), copy.said('two')]).toEqual([copy.root, copy.root]);
    await finishes();
  });

  it('status in the copy shows no process of the original', async () => {
    const { original, finishes } = await working();
    const copy = original.copy('c');
    expect(await copy.pids()).toEqual({ lead: null, ada: null });
    expect((await copy.teams('status', 'tt')).err).toMatch(SAYS);
    expect((await original.teams('status', 'tt')).err).toBe('');
    await finishes();
  });
});

describe('a copy of a project in which a person started a worker', () => {
  it('the copy can be led and deleted, and has a worker of its own; the worker of the original stays', async () => {
    const original = new Project(new Workplace(), 'o');
    await original.teams('create', 'tt', '--member', 'ada');
    const worker = original.start('worker', 'tt', 'ada', '--agent', 'exec');
    const pid = worker.child.pid ?? 0;
    await until(async () => (await original.pids()).ada === pid, 'ada runs');
    const copy = original.copy('c');

    const own = copy.start('worker', 'tt', 'ada', '--agent', 'exec', '--idle-timeout', '10ms');
    const { code, err } = await own.ended;
    expect([code, SAYS.test(err)]).toEqual([0, true]);

    const other = original.copy('d');
    const lead = other.start('lead', 'tt');
    await until(async () => (await other.pids()).lead === lead.child.pid, 'the copy is led');
    expect((await other.teams('delete', 'tt', '--yes')).code).toBe(0);
    expect((await lead.ended).code).toBe(0);

    expect(isRunning(pid)).toBe(true);
    expect((await original.pids()).ada).toBe(pid);
    worker.child.kill('SIGTERM');
    await worker.ended;
  });
});

describe('a moved project', () => {
  it('a moved project ends its lead in the old place, and resumes in the new one', async () => {
    const { place, original, run, lead, ada } = await working();
    renameSync(original.root, join(place.root, 'm'));
    const moved = new Project(place, 'm');
    expect(await run.ended).toMatchObject({ code: 4 });
    await until(() => !isRunning(lead) && !isRunning(ada), 'the old processes have ended');
    moved.go();
    const resumed = await moved.start('resume', 'tt').ended;
    expect([resumed.code, resumed.err.includes('copied')]).toEqual([0, false]);
    expect([moved.said('done'), moved.said('two')]).toEqual([moved.root, moved.root]);
  });

  it('a moved unfinished run goes on where the project lies', async () => {
    const { place, original, run, lead, ada } = await working();
    process.kill(lead, 'SIGKILL');
    await run.ended;
    await until(() => !isRunning(ada), 'ada has ended');
    renameSync(original.root, join(place.root, 'm'));
    const moved = new Project(place, 'm');
    moved.go();
    expect((await moved.start('resume', 'tt').ended).code).toBe(0);
    expect([moved.said('done'), moved.said('two')]).toEqual([moved.root, moved.root]);
    expect(existsSync(original.root)).toBe(false);
  });

  it('a copied unfinished run goes on in the copy, and the original stays as it is', async () => {
    const { original, run, lead, ada } = await working();
    process.kill(lead, 'SIGKILL');
    await run.ended;
    await until(() => !isRunning(ada), 'ada has ended');
    const copy = original.copy('c');
    copy.go();
    const resumed = await copy.start('resume', 'tt').ended;
    expect([resumed.code, resumed.err.includes('copied')]).toEqual([0, false]);
    expect([copy.said('done'), copy.said('two')]).toEqual([copy.root, copy.root]);
    expect([existsSync(original.at('done')), existsSync(original.at('two'))]).toEqual([false, false]);
  });
});

describe('a copy of an earlier time that is put back over a team at work', () => {
  const putBack = (from: Project, to: Project): void => {
    for (const folder of ['.teams', '.tasks'])
      expect(spawnSync('cp', ['-a', `${from.at(folder)}/.`, to.at(folder)], { encoding: 'utf8' }).stderr).toBe('');
  };

  it('ends its lead and members, and resume goes on from the copy', async () => {
    const { original, run, lead, ada } = await working();
    const copy = original.copy('c');
    expect((await original.teams('task', 'create', 'tt', 'Later')).code).toBe(0);
    await until(() => run.told().includes('added #3 Later'), 'the lead has read the task');
    putBack(copy, original);
    expect(await run.ended).toMatchObject({ code: 4 });
    await until(() => !isRunning(lead) && !isRunning(ada), 'the processes have ended');
    original.go();
    expect((await original.start('resume', 'tt').ended).code).toBe(0);
    expect([original.said('done'), original.said('two')]).toEqual([original.root, original.root]);
    const { out } = await original.teams('task', 'list', 'tt', '--json');
    expect(JSON.parse(out)).toMatchObject({ tasks: [{ subject: 'One' }, { subject: 'Two' }] });
  });

  it('ends nothing if they had read no more than the copy has', async () => {
    const { original, lead, ada, finishes } = await working();
    const copy = original.copy('c');
    for (const pid of [lead, ada]) process.kill(pid, 'SIGSTOP');
    try {
      expect((await original.teams('task', 'create', 'tt', 'Later')).code).toBe(0);
      putBack(copy, original);
    } finally {
      for (const pid of [lead, ada]) process.kill(pid, 'SIGCONT');
    }
    await finishes();
  });

  it('ends them also if the next lead begins at once and writes more than they had read', async () => {
    const { original, run, lead, ada } = await working();
    process.kill(lead, 'SIGKILL');
    await run.ended;
    await until(() => !isRunning(ada), 'ada has ended');
    rmSync(original.at('begun'));
    const copy = original.copy('c');
    const second = original.start('resume', 'tt');
    await until(() => existsSync(original.at('begun')), 'ada works');
    const before = await original.pids();
    putBack(copy, original);
    const third = original.start('resume', 'tt');
    for (const subject of ['Three', 'Four']) await original.teams('task', 'create', 'tt', subject, '--run', 'true');
    expect(await second.ended).toMatchObject({ code: 4 });
    await until(() => !isRunning(before.ada ?? 0), 'the old ada has ended');
    original.go();
    expect(await third.ended).toMatchObject({ code: 0 });
    expect(original.said('two')).toBe(original.root);
  });
});

describe('a working directory inside of the project', () => {
  it('a missing working directory is one sentence and no failed attempt', async () => {
    const original = new Project(new Workplace(), 'o');
    mkdirSync(original.at('web'));
    writeFileSync(original.at('plan.json'), JSON.stringify({ ...PLAN, cwd: 'web' }));
    const run = original.start('run', 'plan.json', '--yes');
    await until(() => existsSync(original.at('web/begun')), 'ada works');
    const { lead, ada } = await original.pids();
    process.kill(lead ?? 0, 'SIGKILL');
    await run.ended;
    await until(() => !isRunning(ada ?? 0), 'ada has ended');
    const config = z
      .looseObject({ cwd: z.string() })
      .parse(JSON.parse(readFileSync(original.at('.teams/tt/config.json'), 'utf8')));
    expect(config.cwd).toBe('web');
    rmSync(original.at('web'), { recursive: true });
    for (const verb of ['resume', 'lead']) {
      const { code, err } = await original.start(verb, 'tt').ended;
      expect(code).toBe(4);
      expect(err.trim().split('\n').at(-1)).toBe(
        `teams: The working directory ${original.at('web')} of team tt does not exist: make it again, then run \`teams resume tt\`.`,
      );
    }
    const { out } = await original.teams('task', 'get', 'tt', '1', '--json');
    expect(JSON.parse(out)).toMatchObject({ task: { attempts: 0 } });
    expect((await original.teams('delete', 'tt', '--yes')).code).toBe(0);
  });
});
