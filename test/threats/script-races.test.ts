/**
 * A script that judges work, or that a hook runs, while a member exchanges it for another script, a link to one of the
 * user's, a folder and a pipe: what runs has the rights of the member, or does not run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { findProgram } from '../../src/os/program-path.ts';
import { openJudging } from '../../src/runtime/isolation/judging-isolation.ts';
import { startProcess } from '../../src/agents/programs/process.ts';
import { Workplace } from '../support/cli.ts';
import { name } from '../support/team.ts';

const hasBubblewrap = findProgram('bwrap', process.env['PATH'] ?? '') !== undefined;
const TASKS = 8;
const ROUNDS = 40;

let place: Workplace;
let project: string;
/** Written by what runs with the rights of the user. */
let outside: string;

beforeEach(() => {
  const base = mkdtempSync(join(realpathSync(homedir()), '.script-races-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  outside = join(base, 'outside');
  place = new Workplace();
  project = join(place.root, 'project');
  const script = `#!/bin/sh\nprintf x >>${project}/ran 2>/dev/null\n( : >${outside} ) 2>/dev/null\nexit 0\n`;
  writeFileSync(join(base, 'users.sh'), script, { mode: 0o755 });
  for (const file of ['check.sh', 'escape.sh']) chmodSync(place.put(`project/${file}`, script), 0o755);
  // The pipe has a writer until it is away: what has opened it then reads its end.
  place.put(
    'project/exchange.sh',
    `exec 2>/dev/null
echo begun
while [ ! -e stop ]; do
  for kind in script link folder pipe; do
    rm -rf next
    case $kind in
      script) cp escape.sh next ;;
      link) ln -s ${join(base, 'users.sh')} next ;;
      folder) mkdir next ;;
      pipe) mkfifo next; exec 3<>next ;;
    esac
    mv -T check.sh away; mv -T next check.sh; rm -rf away
    sleep 0.01
    [ $kind = pipe ] || exec 3<&-
  done
done
rm -rf away check.sh; cp escape.sh check.sh
exec 3<&-
`,
  );
});

const member = (sandbox: string) => (of: string) => ({ name: of, agent: { kind: 'exec' }, sandbox });

/** A run in which bob exchanges the script while the work of ada is judged. */
async function run(sandbox: string) {
  const check = './check.sh';
  const hooks = { onTaskCompleted: check, onTeammateIdle: check, onFinished: check };
  place.put('home/config/teams/config.yaml', JSON.stringify({ hooks, subscribers: { 'task.*': [check] } }));
  const judged = (n: number) => ({
    subject: `Work ${n}`,
    owner: 'ada',
    run: n === TASKS ? ': >stop' : 'true',
    verify: ['sh check.sh; true', './check.sh; true'],
  });
  const plan = {
    name: 'raced',
    members: ['ada', 'bob'].map(member(sandbox)),
    tasks: [
      { subject: 'Exchange', owner: 'bob', run: 'sh exchange.sh' },
      ...Array.from({ length: TASKS }, (_, n) => judged(n + 1)),
    ],
    gates: { test: 'sh check.sh; true' },
  };
  place.put('project/plan.json', JSON.stringify(plan));
  const { code, out, err } = await place.say(['run', 'plan.json'], { cwd: project });
  return { said: `${code} ${out}${err}`, ran: existsSync(join(project, 'ran')) };
}

it.runIf(hasBubblewrap)(
  'a script is exchanged while verify:, hooks and subscribers run it: nothing of it has the rights of the user',
  { timeout: 120_000 },
  async () => {
    const { said, ran } = await run('workspace-write');
    expect(ran, said).toBe(true);
    expect(existsSync(outside), said).toBe(false);
  },
);

it('where no member is held, the same script writes outside, so that this test sees what it must', async () => {
  const { said } = await run('full');
  expect(existsSync(outside), said).toBe(true);
});

it.runIf(hasBubblewrap)(
  'a script is exchanged while gates run it: nothing of it has the rights of the user',
  { timeout: 120_000 },
  async () => {
    const exchanger = spawn('/bin/sh', ['exchange.sh'], { cwd: project, stdio: ['ignore', 'pipe', 'ignore'] });
    const gone = once(exchanger, 'exit');
    onTestFinished(async () => {
      place.put('project/stop', '');
      await gone;
    });
    await once(exchanger.stdout, 'data');
    const config = {
      members: [{ role: name('executor'), agent: { kind: 'exec' }, sandbox: 'workspace-write' as const }],
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const judging = await openJudging({
        what: 'gate test',
        config,
        cwd: project,
        environment: place.environment,
        rules: { setting: 'auto', sandbox: 'auto', network: false },
      });
      expect(judging).toMatchObject({ isIsolated: true });
      const command = round % 2 === 0 ? ['/bin/sh', 'check.sh'] : ['/bin/sh', '-c', './check.sh'];
      const { argv, env } = judging.wrap({ argv: command, env: { PATH: place.environment['PATH'] ?? '' } });
      const { signal } = new AbortController();
      const started = await startProcess({ argv, env, cwd: project, timeoutMs: 20_000, signal });
      if (!started.ok) continue;
      while ((await started.process.next()) !== undefined) continue;
      expect((await started.process.ended).kind).toBe('exited');
    }
    expect(existsSync(join(project, 'ran'))).toBe(true);
    expect(existsSync(outside)).toBe(false);
  },
);
