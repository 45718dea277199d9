/**
 * Root in another user's team writes nothing, by no door: every verb, every tool, every command of the page, every method
 * of the library. A file of root's in the team would be one that its user can neither change nor remove.
 */
import { chownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, it } from 'vitest';
import { openTeam, Team } from '../../src/index.ts';
import { TOOL_NAMES, type ToolName } from '../../src/model/team/tool.ts';
import { verbs } from '../../src/surfaces/cli/verbs/all-verbs.ts';
import { runWebCommand, webCommandSchema, type WebCommand } from '../../src/surfaces/web/commands.ts';
import { openHandle } from '../../src/app.ts';
import { Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { Host } from '../support/mcp-host.ts';

const NOBODY = 65_534;

let place: Workplace;
beforeEach(async () => {
  place = new Workplace();
  const plan = {
    name: 'duo',
    members: [{ name: 'ada', agent: { kind: 'exec' } }],
    tasks: [{ subject: 'One', run: 'true' }],
  };
  place.put('plan.json', JSON.stringify(plan));
  await place.teams('create', 'duo', '--member', 'ada');
  await place.teams('task', 'create', 'duo', 'One', '--owner', 'ada');
  await place.teams('send', 'duo', 'ada', 'before');
  for (const folder of ['.teams', '.tasks', '.teams/duo', '.tasks/duo'])
    for (const entry of [{ path: join(place.root, folder) }, ...entriesOf(folder)])
      chownSync(entry.path, NOBODY, NOBODY);
});

const entriesOf = (folder: string): { path: string; what: string }[] =>
  readdirSync(join(place.root, folder), { recursive: true, withFileTypes: true, encoding: 'utf8' }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const { uid, size, mtimeMs, ino, mode } = lstatSync(path);
    return { path, what: entry.isDirectory() ? `${path} ${uid} ${mode}` : `${path} ${uid} ${size} ${mtimeMs} ${ino}` };
  });
const seen = (): string[] => [...entriesOf('.teams'), ...entriesOf('.tasks')].map(({ what }) => what).sort();

/** How each verb is said to this team. A verb that is missing here fails the test. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  send: ['duo', 'ada', 'hi'],
  answer: ['duo', 'R1', 'yes'],
  approvals: ['duo'],
  inbox: ['duo', 'ada'],
  take: ['duo', 'ada'],
  watch: ['duo'],
  log: ['duo'],
  wisdom: ['duo'],
  logs: ['duo', 'ada'],
  ui: ['--no-open'],
  why: ['duo', '1'],
  at: ['duo', '2'],
  report: ['duo'],
  export: ['duo'],
  diff: ['duo'],
  undo: ['duo', '--yes'],
  apply: ['duo'],
  pr: ['duo'],
  pipeline: ['list'],
  refine: ['x', '--backend', 'exec:true', '--reviewer', 'exec:true', '--no-team', '--max-rounds', '1'],
  relay: ['--to', 'exec:true', '--prompt', 'x'],
  run: ['plan.json', '--resume'],
  validate: ['plan.json'],
  route: ['mend it'],
  resume: ['duo'],
  wait: ['duo', '--timeout', '1s'],
  budget: ['duo', '--set', 'cost=5'],
  up: ['duo', '--yes'],
  pause: ['duo'],
  unpause: ['duo'],
  cancel: ['duo', '--yes'],
  mcp: [],
  acp: [],
  init: ['--yes'],
  doctor: ['--trust', 'duo', '--yes'],
  config: [],
  'config show': [],
  completion: ['bash'],
  'task create': ['duo', 'Two'],
  'task list': ['duo'],
  'task get': ['duo', '1'],
  'task update': ['duo', '1', '--owner', 'ada'],
  'task claim': ['duo', '1', '--as', 'ada'],
  'task complete': ['duo', '1', '--as', 'ada', '--summary', 'x'],
  'task fail': ['duo', '1', '--as', 'ada', '--reason', 'x'],
  'task release': ['duo', '1', '--as', 'ada'],
  'task retry': ['duo', '1'],
  'task skip': ['duo', '1'],
  'task unblock': ['duo', '1'],
  'task approve': ['duo', '1'],
  'task refuse': ['duo', '1', 'no'],
  'task revise': ['duo', '1', 'again'],
  create: ['duo', '--member', 'bob'],
  spawn: ['duo', 'bob', '--agent', 'exec:true'],
  lead: ['duo'],
  worker: ['duo', 'ada'],
  list: [],
  status: ['duo'],
  delete: ['duo', '--yes', '--force'],
  prune: ['--all', '--yes'],
  replay: ['duo', '--save-test', 'case.json'],
  'store init': ['postgres://nobody@127.0.0.1:1/x'],
  'store check': ['postgres://nobody@127.0.0.1:1/x'],
  'store relay': ['postgres://nobody@127.0.0.1:1/x'],
  host: ['--store', 'postgres://nobody@127.0.0.1:1/x'],
  migrate: ['duo', '--to', 'postgres://nobody@127.0.0.1:1/x'],
};

describe.skipIf(process.getuid?.() !== 0)("root in another user's team writes nothing", () => {
  it('by any verb', { timeout: 120_000 }, async () => {
    allowLeft(/./);
    expect(Object.keys(SAID)).toEqual(expect.arrayContaining(verbs.map(({ name }) => name)));
    const changed: string[] = [];
    for (const { name } of verbs.filter((verb) => !['ui', 'mcp', 'acp'].includes(verb.name))) {
      const before = new Set(seen());
      await place.say([...name.split(' '), ...(SAID[name] ?? [])], { gone: AbortSignal.timeout(1_500) });
      changed.push(...seen().flatMap((one) => (before.has(one) ? [] : [`${name}: ${one}`])));
    }
    expect(changed).toEqual([]);
  });

  it('by any tool of a host', { timeout: 120_000 }, async () => {
    allowLeft(/./);
    const before = seen();
    const inputs: Partial<Record<ToolName, object>> = {
      TeamCreate: { team_name: 'duo' },
      TeamDelete: { name: 'duo', force: true },
      Task: { prompt: 'x', team_name: 'duo', name: 'bob', agent: 'exec:true' },
      TaskCreate: { subject: 'Two', team_name: 'duo' },
      TaskUpdate: { taskId: '1', team_name: 'duo', status: 'completed' },
      SendMessage: { recipient: 'ada', content: 'hi', team_name: 'duo' },
    };
    const changed: string[] = [];
    await using host = await Host.on(place);
    for (const tool of TOOL_NAMES) {
      await host.call(tool, { ...inputs[tool] }).catch(() => undefined);
      if (JSON.stringify(seen()) !== JSON.stringify(before)) changed.push(tool);
    }
    expect(changed).toEqual([]);
  });

  it('by any command of the page', async () => {
    const before = seen();
    const commands: readonly WebCommand[] = [
      { do: 'send', to: 'ada', text: 'hi' },
      { do: 'broadcast', text: 'hi' },
      { do: 'answer', request: 'R1', text: 'yes' },
      { do: 'judge', task: '1', approve: true, text: '' },
      { do: 'revise', task: '1', text: 'again' },
      { do: 'retry', task: '1' },
      { do: 'skip', task: '1' },
      { do: 'pause', paused: true },
      { do: 'stop', member: 'ada' },
      { do: 'add', subject: 'Two', description: '' },
    ];
    expect(commands.map((one) => one.do)).toEqual(webCommandSchema.options.map(({ shape }) => shape.do.value));
    for (const command of commands)
      await expect(
        (async () => {
          const at = { cwd: place.root, environment: place.environment };
          return runWebCommand(openHandle('duo', { root: place.root, environment: place.environment }), command, at);
        })(),
      ).rejects.toThrow(/belongs to nobody/);
    expect(seen()).toEqual(before);
  });

  it('by any method of the library', async () => {
    const before = seen();
    const open = (): Promise<Team> => openTeam('duo', { root: place.root });
    const doors: Readonly<Record<string, (team: Team) => unknown>> = {
      start: (team) => team.start(),
      spawn: (team) => team.spawn({ name: 'bob', agent: { kind: 'exec' } }),
      send: (team) => team.send('ada', 'hi'),
      answer: (team) => team.answer('R1', 'yes'),
      broadcast: (team) => team.broadcast('hi'),
      inbox: (team) => [...team.inbox('ada')],
      events: () => undefined,
      status: (team) => team.status(),
      done: () => undefined,
      report: (team) => team.report(),
      diff: (team) => team.diff(),
      requests: (team) => team.requests(),
      judge: (team) => team.judge('1', { approve: true }),
      stop: (team) => team.stop(),
      delete: (team) => team.delete({ force: true }),
      isLed: () => undefined,
    };
    const methods = Object.entries(Object.getOwnPropertyDescriptors(Team.prototype)).flatMap(([name, { value }]) =>
      typeof value === 'function' && name !== 'constructor' ? [name] : [],
    );
    expect(Object.keys(doors).sort()).toEqual(methods.sort());
    for (const use of Object.values(doors)) {
      try {
        await using team = await open();
        await use(team);
      } catch (error) {
        expect(String(error)).toMatch(/belongs to nobody|lead/i);
      }
    }
    expect(seen()).toEqual(before);
  });
});
