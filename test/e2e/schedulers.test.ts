/** The files of docs/schedulers.md: each is read by its own tool where that is here, and its command is run as it stands. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import type { Workplace } from '../support/cli.ts';
import { storePlace } from '../support/machine.ts';
import { hasPostgres, Postgres } from '../support/postgres.ts';
import { StoreUser } from '../support/store-user.ts';
import { tempDir } from '../support/temp.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BIN_FOLDER = join(ROOT, 'bin');
const page = readFileSync(join(ROOT, 'docs', 'schedulers.md'), 'utf8');
/** The file below a heading. */
const fileOf = (heading: string): string =>
  new RegExp(`\\n## ${heading}\\n[^]*?\`\`\`\\w+\\n([^]*?)\`\`\``).exec(page)?.[1] ?? '';

const job = z.object({
  spec: z.object({
    completionMode: z.literal('Indexed'),
    template: z.object({
      spec: z.object({
        containers: z.tuple([
          z.object({
            command: z.array(z.string()),
            args: z.array(z.string()),
            volumeMounts: z.array(z.looseObject({ name: z.string() })),
          }),
        ]),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
});
const workflow = z.object({
  jobs: z.object({ worker: z.object({ steps: z.array(z.looseObject({ run: z.string().optional() })) }) }),
});

/** What each scheduler runs, and with what in the environment, as its first member. */
const COMMANDS: Readonly<Record<string, () => { argv: string[]; env: Record<string, string>; member: string }>> = {
  systemd() {
    const line = /^ExecStart=(.*)$/m.exec(fileOf('systemd'))?.[1] ?? '';
    return { argv: line.replaceAll('%i', 'ada').split(' '), env: {}, member: 'ada' };
  },
  Kubernetes() {
    const { containers, volumes } = job.parse(parse(fileOf('Kubernetes'))).spec.template.spec;
    const [{ command, args, volumeMounts }] = containers;
    expect(new Set(volumeMounts.map(({ name }) => name))).toEqual(new Set(volumes.map(({ name }) => name)));
    return { argv: [...command, ...args], env: { JOB_COMPLETION_INDEX: '0' }, member: 'w0' };
  },
  Slurm: () => ({ argv: ['sh', '-c', fileOf('Slurm')], env: { SLURM_ARRAY_TASK_ID: '1' }, member: 'w1' }),
  'GitHub Actions'() {
    const { steps } = workflow.parse(parse(fileOf('GitHub Actions'))).jobs.worker;
    const run = steps.at(-1)?.run?.replaceAll('${{ matrix.worker }}', '1') ?? '';
    return { argv: ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', run], env: {}, member: 'w1' };
  },
};

describe('the files for schedulers', () => {
  it('are read by the shells and by systemd', () => {
    for (const shell of ['sh', 'bash']) execFileSync(shell, ['-n'], { input: fileOf('Slurm') });
    const unit = fileOf('systemd');
    expect(unit).toContain('ExecStart=/usr/bin/env teams worker');
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) return;
    const place = tempDir();
    const path = join(place, 'teams-worker@.service');
    writeFileSync(path, unit);
    const { status, stderr } = spawnSync(
      'systemd-analyze',
      ['--user', 'verify', '--man=no', join(place, 'teams-worker@ada.service')],
      {
        encoding: 'utf8',
        env: { ...process.env, XDG_RUNTIME_DIR: place },
      },
    );
    if (/Failed to (?:initialize|connect)/.test(stderr)) return;
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });
});

describe.skipIf(!hasPostgres)('a worker of a scheduler', { timeout: 90_000 }, () => {
  let engine: Postgres;
  let place: Workplace;
  let url = '';
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    const made = await storePlace(engine);
    ({ place } = made);
    url = engine.url('owner', made.database);
  });

  it.each(Object.keys(COMMANDS))(
    'of %s does a task, ends in order, and goes on when it is started again',
    async (name) => {
      const { argv, env, member } = COMMANDS[name]?.() ?? { argv: [], env: {}, member: '' };
      const [user, other] = StoreUser.apart(place);
      await user.ok('create', 'login', '--member', member, '--store', url);
      const configured = user.file('.teams', 'login', 'config.json');
      const lead = user.process(['lead', 'login', '--store', url]);
      onTestFinished(() => end(lead));
      const home = user.environment['HOME'] ?? '';
      for (const folder of ['.config/teams', 'project']) mkdirSync(join(home, folder), { recursive: true });
      writeFileSync(join(home, '.config', 'teams', 'store.env'), `TEAMS_STORE=${url}\nTEAMS_TRUST=${user.key}\n`);
      // The real agent has no login here.
      const words = argv.map((word) => word.replace('--agent claude', '--agent exec').replace(/^claude$/, 'exec'));
      for (const turn of [1, 2]) {
        const worker = spawn(words[0] ?? '', words.slice(1), {
          cwd: other.project,
          env: {
            ...other.environment,
            ...env,
            TEAMS_STORE: url,
            TEAMS_TRUST: user.key,
            PATH: `${BIN_FOLDER}:${user.environment['PATH'] ?? ''}`,
          },
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        onTestFinished(() => end(worker));
        let said = '';
        worker.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
        await expect.poll(() => said, { timeout: 30_000 }).toContain(`${member} works for team`);
        await user.ok('task', 'create', 'login', `t${String(turn)}`, '--run', 'echo done', '--store', url);
        const done = async (): Promise<number> =>
          (await user.ok('task', 'list', 'login', '--store', url)).out.match(/completed/g)?.length ?? 0;
        await expect.poll(done, { timeout: 30_000 }).toBe(turn);
        await end(worker);
        expect(worker.signalCode).toBeNull();
        expect(user.file('.teams', 'login', 'config.json')).toBe(configured);
      }
    },
  );
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
