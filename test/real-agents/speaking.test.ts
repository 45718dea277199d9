/**
 * The command line in the shell of a real Codex. It is not isolated by us, and its shell gets no variable whose name
 * contains KEY, SECRET or TOKEN; `teams` there speaks as the member all the same.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Asked } from '../fixtures/model-server/asked.ts';
import type { Step } from '../fixtures/model-server/script.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { BIN } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { environment, reach, realCli } from './clis.ts';

beforeEach(() => allowLeft(/\/(?:homes|home)\//));

it('teams in the shell of a real Codex speaks as its member', async () => {
  const base = mkdtempSync(join(realpathSync(homedir()), '.real-speaking-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [home, project] = [join(base, 'home'), join(base, 'project')];
  for (const made of [home, project]) mkdirSync(made);
  const cmd =
    'teams send lead hello >said 2>&1; echo "exit $?" >>said; env | grep -o "^TEAMS_[A-Z]*" | sort >variables';
  const script = ({ results }: Asked): Step =>
    results.length === 0 ? { calls: [{ tool: 'exec_command', input: { cmd } }] } : { text: 'Done.' };
  const model = await ModelServer.start({ script });
  onTestFinished(() => model.close());
  const agent = { kind: 'codex', command: [await realCli('codex')], ...reach('codex', model.url) };
  const tasks = [{ subject: 'Say hello', owner: 'cody' }];
  const plan = { name: 'crew', members: [{ name: 'cody', agent, env: { OPENAI_API_KEY: 'none' } }], tasks };
  writeFileSync(join(project, 'plan.json'), JSON.stringify(plan));
  const env = { ...environment(home), XDG_STATE_HOME: join(home, 'state') };
  const child = spawn(process.execPath, [BIN, 'run', 'plan.json'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const said = readFileSync(join(project, 'said'), 'utf8');
  expect(said, `${readFileSync(join(project, 'variables'), 'utf8')}\n${out}${err}`).toMatch(/exit 0\n$/);
  expect(child.exitCode, err).toBe(0);
  const team = join(project, '.teams/crew');
  const files = readdirSync(team, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'));
  const sent = files.flatMap((file) => readFileSync(join(team, file), 'utf8').split('\n'));
  expect(sent.filter((line) => line.includes('hello')).join('\n')).toMatch(/cody/);
}, 120_000);
