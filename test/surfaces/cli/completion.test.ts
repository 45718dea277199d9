/** Completion: what each word may be, and each real shell at a TAB. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { replicaFolder } from '../../../src/store/user/own-folders.ts';
import { Workplace } from '../../support/cli.ts';
import { asMember } from '../../support/member.ts';
import { noTmux, Terminal } from '../../support/tmux.ts';

let place: Workplace;

beforeEach(async () => {
  place = new Workplace();
  await place.teams('create', 'shop', '--member', 'ada', '--member', 'bob');
  await place.teams('task', 'create', 'shop', 'Fix the parser', '--owner', 'ada');
  await place.teams('task', 'create', 'shop', 'Test the parser');
});

/** The values offered, and at the end which paths. */
const offered = (...words: string[]): Promise<string[]> => offeredIn({}, ...words);

async function offeredIn(environment: Record<string, string>, ...words: string[]): Promise<string[]> {
  const { out, code } = await place.say(['complete', '--', ...words], { environment });
  expect(code).toBe(0);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

describe('an archived team', () => {
  it.each(['at', 'report', 'log', 'logs', 'why', 'diff', 'watch', 'ui'])('is offered to `teams %s`', async (verb) => {
    await place.teams('delete', 'shop', '--force', '--now');
    await place.teams('create', 'next');
    expect(await offered(verb, '')).toEqual(expect.arrayContaining(['next', 'shop']));
  });

  it('is offered with its tasks and members, and to no verb that changes it', async () => {
    await place.teams('delete', 'shop', '--force', '--now');
    await place.teams('create', 'next');
    expect(await offered('logs', 'shop', '')).toEqual(['ada', 'bob', 'lead', ':none']);
    expect(await offered('task', 'get', 'shop', '')).toEqual(['1', '2', ':none']);
    expect(await offered('spawn', 's')).toEqual([':none']);
  });
});

describe('a team in a store that is named', () => {
  const store = 'postgres://db.example.org/agents';

  beforeEach(async () => {
    const root = replicaFolder(store, place.environment);
    mkdirSync(root, { recursive: true });
    await place.teams('create', 'far', '--member', 'cy', '--root', root);
  });

  it.each<[how: string, environment: Record<string, string>, words: string[]]>([
    ['TEAMS_STORE', { TEAMS_STORE: store }, []],
    ['--store', {}, ['--store', store]],
  ])('by %s is offered as it is here, and no server is asked', async (_, environment, named) => {
    expect(await offeredIn(environment, 'status', ...named, '')).toEqual(['far', ':none']);
    expect(await offeredIn(environment, 'inbox', ...named, 'far', '')).toEqual(['cy', 'lead', ':none']);
    expect(await offeredIn(environment, 'stat')).toEqual(['status', ':none']);
  });

  it('has no word where the address is none, and verbs have', async () => {
    const environment = { TEAMS_STORE: 'mysql://db' };
    expect(await offeredIn(environment, 'status', '')).toEqual([':none']);
    expect(await offeredIn(environment, 'stat')).toEqual(['status', ':none']);
  });
});

describe('a word', () => {
  it.each<[words: string[], values: string[]]>([
    [['stat'], ['status', ':none']],
    [['--root', ''], [':dirs']],
    [['--root', '=', 'x'], [':dirs']],
    [
      ['--root', 'somewhere', '--json', 'stat'],
      ['status', ':none'],
    ],
    [
      ['task', 'rel'],
      ['release', ':none'],
    ],
    [
      ['run', '--fr'],
      ['--fresh', ':none'],
    ],
    [
      ['status', ''],
      ['shop', ':none'],
    ],
    [
      ['logs', 'shop', ''],
      ['ada', 'bob', 'lead', ':none'],
    ],
    [
      ['logs', 'b'],
      ['bob', ':none'],
    ],
    [
      ['logs', '--task', ''],
      ['1', '2', ':none'],
    ],
    [
      ['task', 'retry', 'shop', ''],
      ['1', '2', ':none'],
    ],
    [
      ['task', 'create', '--owner', 'a'],
      ['ada', ':none'],
    ],
    [
      ['send', 'shop', 'l'],
      ['lead', ':none'],
    ],
    [
      ['why', 'shop', 'a'],
      ['ada', ':none'],
    ],
    [['run', ''], [':files']],
    [['validate', 'pl'], [':files']],
    [['status', '--root', ''], [':dirs']],
    [['status', '--root', '=', ''], [':dirs']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', ':none'],
    ],
    [
      ['spawn', '--sandbox', ''],
      ['read-only', 'workspace-write', 'full', ':none'],
    ],
    [
      ['run', '--isolation', ''],
      ['auto', 'trees', 'off', ':none'],
    ],
    [
      ['relay', '--to', 'c'],
      ['codex', 'claude', ':none'],
    ],
    [['relay', '--to', 'a'], [':none']],
    [
      ['run', '--budget', 't'],
      ['tokens=', 'turns=', 'time=', ':none'],
    ],
    [
      ['budget', 'shop', '--set', 'member.ada.c'],
      ['member.ada.cost=', ':none'],
    ],
    [
      ['doctor', '--trust', ''],
      ['shop', ':none'],
    ],
    [['up', ''], [':files']],
    [
      ['up', '--back', ''],
      ['shop', ':none'],
    ],
    [
      ['apply', 'shop', '--task', ''],
      ['1', '2', ':none'],
    ],
    [
      ['undo', ''],
      ['shop', '1', '2', ':none'],
    ],
    [['create', ''], [':none']],
    [['nonsense', ''], [':none']],
    [['logs', 'shop', 'ada', ''], [':none']],
  ])('after teams %j it offers %j', async (words, values) => {
    expect(await offered(...words)).toEqual(values);
  });

  it('may be an open question, a pipeline or an agent', async () => {
    await place.teams('task', 'claim', 'shop', '1', '--as', 'ada');
    const environment = await asMember(place, 'shop', 'ada', '1');
    await place.say(['send', 'shop', 'lead', 'Which one?', '--kind', 'question'], { environment });
    const [id = ''] = await offered('answer', 'shop', '');
    expect(id).toMatch(/^[0-9A-Z]{26}$/);
    expect(await offered('pipeline', 'impl')).toContain('impl-only');
    expect(await offered('run', '--agent', 'cl')).toContain('claude');
  });

  it('of a place that cannot be read offers nothing, and says nothing', async () => {
    const { code, out, err } = await new Workplace().teams('complete', '--', 'logs', 'shop', '');
    expect({ code, out, err }).toEqual({ code: 0, out: ':none\n', err: '' });
    writeFileSync(join(place.root, '.teams/shop/config.json'), 'damaged');
    expect((await place.teams('complete', '--', 'status', '')).code).toBe(0);
    expect((await place.teams('completion', 'tcsh')).code).toBe(2);
  });
});

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

describe.skipIf(noTmux())('a real shell', () => {
  const started = (shell: string, load: string): Terminal => {
    mkdirSync(join(place.root, 'plans'));
    writeFileSync(join(place.root, 'plans/one.yaml'), '');
    mkdirSync(join(place.root, 'in:out'));
    writeFileSync(join(place.root, 'in:out/a:b c.yaml'), '');
    const path = `${join(place.root, 'bin')}:${place.environment['PATH'] ?? ''}`;
    const environment = { ...place.environment, HOME: place.root, PATH: path };
    return new Terminal(shell, environment, { cwd: place.root }).typing(load);
  };

  const shells = [
    ['bash', 'bash --norc --noprofile', 'source <(teams completion bash)'],
    ['zsh', 'zsh -f', 'source <(teams completion zsh)'],
    ['fish', 'fish --no-config', 'teams completion fish | source'],
  ] as const;
  it.skip.each(shells.filter(([shell]) => !has(shell)))('%s is not installed', () => {});
  it.each(shells.filter(([shell]) => has(shell)))(
    '%s completes members and files, and loads the script twice in silence',
    async (shell, command, load) => {
      await place.shell('true');
      const terminal = started(command, `${load}; ${load}; echo LOADED`);
      const loaded = await terminal.shows(/^LOADED$/m);
      expect(loaded).not.toMatch(/readonly|not found|Unknown command/);
      terminal.type('echo 1; teams logs shop ad');
      terminal.press('Tab');
      await terminal.shows(/teams logs shop ada/);
      terminal.press('C-u');
      terminal.type('teams budget shop --set member.bob.to');
      terminal.press('Tab');
      await terminal.shows(/member\.bob\.tokens=/);
      terminal.type('7');
      await terminal.shows(/member\.bob\.tokens=7/);
      terminal.press('C-u');
      terminal.type('teams run pl');
      terminal.press('Tab');
      await terminal.shows(/teams run plans/);
      terminal.press('C-u');
      for (const [begun, shown] of [
        ['~/pl', /teams run ~\/plans\//],
        ['$HOME/pl', /teams run \$HOME\/plans\//],
        ["'pl", /teams run 'plans\//],
      ] as const) {
        terminal.type(`teams run ${begun}`);
        terminal.press('Tab');
        await terminal.shows(shown);
        terminal.press('C-u');
      }
      // Bash divides words at a colon.
      terminal.type('teams run in:o');
      terminal.press('Tab');
      await terminal.shows(/teams run in\\?:out\//);
      terminal.press('Tab');
      await terminal.shows(/teams run in\\?:out\/a\\?:b\\ c\.yaml/);
      terminal.press('C-u');
      // Fish offers also what begins after the colon, as for any command.
      if (shell !== 'fish') {
        terminal.type('teams run in:out/a:');
        terminal.press('Tab');
        await terminal.shows(/teams run in:out\/a\\?:b\\ c\.yaml/);
        terminal.press('C-u');
      }
      terminal.type('teams logs "$(touch evaluated)" --fo');
      terminal.press('Tab');
      await terminal.shows(/--follow/);
      terminal.press('C-u');
      // zsh itself expands the present word at a TAB.
      terminal.type(`teams run ${shell === 'zsh' ? '' : '$(touch evaluated)'}/pl`);
      terminal.press('Tab');
      terminal.press('C-u');
      terminal.type('echo 2; teams logs shop bo');
      terminal.press('Tab');
      await terminal.shows(/2; teams logs shop bob/);
      expect(existsSync(join(place.root, 'evaluated'))).toBe(false);
    },
  );

  const touch = 'touch evaluated';
  const HOSTILE = [
    `$(${touch})`,
    `\`${touch}\``,
    `;${touch};`,
    `'${touch}`,
    `"$(${touch})`,
    `\n${touch}\n`,
    `\u001b[31m`,
    `& ${touch} #`,
  ];

  it.each(shells.filter(([shell]) => has(shell)))(
    '%s runs nothing that a file, a team’s folder or a task is called',
    async (shell, command, load) => {
      await place.shell('true');
      for (const [at, words] of HOSTILE.entries()) {
        writeFileSync(join(place.root, `h${at}${words.replaceAll('/', '')}.yaml`), 'members: []');
        mkdirSync(join(place.root, '.teams', words));
        mkdirSync(join(place.root, '.teams', `t${at}${words}`));
        await place.teams('task', 'create', 'shop', `Task ${words}`);
      }
      const terminal = started(command, `${load}; echo LOADED`);
      await terminal.shows(/^LOADED$/m);
      for (const [at] of HOSTILE.entries()) {
        terminal.type(`teams run --dry-run h${at}`);
        terminal.press('Tab');
        terminal.press('Enter');
        terminal.type(`echo DONE-${at}`);
        terminal.press('Enter');
        await terminal.shows(new RegExp(`^DONE-${at}$`, 'm'));
        terminal.type(`teams status t${at}`);
        terminal.press('Tab');
        terminal.press('C-u');
      }
      terminal.type('teams task get shop ');
      terminal.press('Tab');
      terminal.press('Tab');
      await terminal.shows(shell === 'bash' ? /^\d +\d/m : /Task/);
      terminal.press('C-u');
      terminal.type('echo END');
      terminal.press('Enter');
      await terminal.shows(/^END$/m);
      expect(existsSync(join(place.root, 'evaluated'))).toBe(false);
    },
  );
});
