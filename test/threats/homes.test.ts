/**
 * A coding CLI runs what the configuration in its home says: hooks, servers, a notifier. So no home is used that a pull
 * brought, or that a program which may change the project wrote.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { agentHome } from '../../src/store/team/agent-home.ts';
import { realDisk } from '../../src/store/files/disk.ts';
import { teamPaths } from '../../src/store/files/paths.ts';
import { removeLostHomes } from '../../src/store/user/agent-homes.ts';
import { join as joinTeam } from '../../src/runtime/teammate/join.ts';
import { encodeIsolation } from '../../src/runtime/team/teammate-env.ts';
import { finishPruning } from '../../src/runtime/setup/prune.ts';
import { main } from '../../src/surfaces/cli/main.ts';
import { fencePlace, openFence, ownHomeOf, runInside } from '../support/fence.ts';
import { until } from '../support/cli.ts';
import { reopened, team, type Team } from '../support/session.ts';
import { name } from '../support/team.ts';
import { tempDir } from '../support/temp.ts';

const PLANTED = 'notify = ["touch", "planted"]\n';
const ada = name('ada');

/** The variable that names each program's own configuration, and a file in it that makes the program run something. */
const KINDS = [
  ['codex', 'codex', '$CODEX_HOME', 'config.toml'],
  ['codex', 'codex', '$CODEX_HOME', '.env'],
  ['codex', 'codex', '$CODEX_HOME', 'rules/default.rules'],
  ['claude', 'claude', '$CLAUDE_CONFIG_DIR', 'settings.json'],
  ['gemini', 'gemini', '$GEMINI_CLI_HOME', '.gemini/extensions/x/gemini-extension.json'],
  ['opencode', 'opencode', '$XDG_DATA_HOME', 'opencode/plugin/x.js'],
] as const;

interface Started {
  readonly on: Team;
  /** What the program saw of its home. */
  readonly seen: () => string;
  readonly start: () => Promise<void>;
}

/** A member whose program lists its home in a file of the workspace. */
async function member(kind: (typeof KINDS)[number][0], variable: string): Promise<Started> {
  const base = mkdtempSync(join(realpathSync(homedir()), '.homes-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const bin = join(base, 'bin');
  mkdirSync(bin);
  const on = await team({
    members: [{ name: 'ada', agent: { kind } }],
    tasks: [{ subject: 'Work', work: { prompt: 'Do it.' } }],
  });
  const file = join(on.root, 'seen');
  writeFileSync(
    join(bin, kind),
    `#!/bin/sh\ncase "$*" in *--version*) echo 9.0.0; exit 0;; esac\n{ echo "home ${variable}"; find "${variable}" -type f; echo end; } >> seen\nexit 9\n`,
    { mode: 0o755 },
  );
  return {
    on,
    seen: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
    async start() {
      rmSync(file, { force: true });
      const environment = {
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        HOME: base,
        XDG_STATE_HOME: join(on.root, 'state'),
        ...encodeIsolation('off'),
      };
      const teammate = await joinTeam(reopened(on.paths), ada, { byHand: true, commandLine: main, environment });
      const left = teammate.run();
      await until(() => existsSync(file) && readFileSync(file, 'utf8').includes('end\n'), 'the program ran');
      teammate.stop('signal');
      await left;
    },
  };
}

const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

describe('what was planted in a home', () => {
  it.each(KINDS)('of %s in the team, as %s for %s: %s, is not there when the program starts', async (...row) => {
    const [kind, place, variable, file] = row;
    const here = await member(kind, variable);
    put(join(here.on.paths.home(ada), place, file), PLANTED);
    await here.start();
    expect(here.seen()).not.toContain(file);
    const used = /^home (.*)$/m.exec(here.seen())?.[1] ?? '';
    expect(used).not.toContain(`${here.on.paths.folder}/`);
  });

  it.each(KINDS.filter(([kind]) => kind === 'codex'))(
    'of %s where the state directory can be written: %s, %s, %s, is removed before the next start',
    async (kind, place, variable, file) => {
      const here = await member(kind, variable);
      await here.start();
      const used = /^home (.*)$/m.exec(here.seen())?.[1] ?? '';
      put(join(used, file), PLANTED);
      put(join(used, 'sessions/2026/01/01/rollout-a.jsonl'), '{}\n');
      symlinkSync('/etc', join(used, 'prompts'));
      await here.start();
      expect(here.seen()).not.toContain(file);
      expect(here.seen()).toContain(`${place}/sessions/2026/01/01/rollout-a.jsonl`);
      expect(existsSync(join(used, 'prompts'))).toBe(false);
      expect(existsSync('/etc/passwd')).toBe(true);
    },
  );
});

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

function surroundings() {
  const base = tempDir();
  const paths = teamPaths(join(base, 'project'), name('crew'));
  mkdirSync(paths.folder, { recursive: true });
  vi.stubEnv('XDG_STATE_HOME', join(base, 'state'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const homeOf = (at = paths, id = ULID): string =>
    agentHome(realDisk, at, {
      team: { id, inode: statSync(at.folder).ino },
      member: ada,
      now: Date.now(),
    });
  return { base, paths, homeOf };
}

describe('the place of a home', () => {
  it('is outside of the project, for the user only, and the same at each start', () => {
    const { base, homeOf } = surroundings();
    const home = homeOf();
    expect(home.startsWith(`${join(base, 'state', 'teams', 'homes')}/`)).toBe(true);
    for (let at = home; at !== join(base, 'state'); at = dirname(at)) expect(statSync(at).mode & 0o777).toBe(0o700);
    expect(homeOf()).toBe(home);
  });

  it('says to which root it belongs, and that it is used', () => {
    const { base, homeOf } = surroundings();
    const record = join(dirname(homeOf()), '.root');
    const { ino } = statSync(record);
    homeOf();
    expect(statSync(record).ino).toBe(ino);
    utimesSync(record, 1_000, 1_000);
    homeOf();
    expect(Date.now() - statSync(record).mtimeMs).toBeLessThan(60_000);
    writeFileSync(record, '/elsewhere');
    homeOf();
    expect(readFileSync(record, 'utf8')).toBe(join(base, 'project'));
  });

  it('is another one for a copy of the team and for another team of the same name', () => {
    const { base, paths, homeOf } = surroundings();
    cpSync(join(base, 'project'), join(base, 'copy'), { recursive: true });
    const homes = [
      homeOf(),
      homeOf(teamPaths(join(base, 'copy'), name('crew'))),
      homeOf(paths, ULID.replace('01', '02')),
    ];
    expect(new Set(homes).size).toBe(3);
  });

  it.each(['', '../../../../escape', `${ULID}/..`])('is refused for a board that says %j is its ULID', (id) => {
    const { paths, homeOf } = surroundings();
    expect(() => homeOf(paths, id)).toThrow(/does not say which team it is/);
  });

  it('a link in its place is refused', () => {
    const { base, homeOf } = surroundings();
    const home = homeOf();
    rmSync(home, { recursive: true });
    mkdirSync(join(base, 'elsewhere'));
    symlinkSync(join(base, 'elsewhere'), home);
    expect(() => homeOf()).toThrow(/is not a directory/);
  });
});

describe('a team of an earlier version', () => {
  const TRANSCRIPTS = [
    'sessions/a1.jsonl',
    'codex/sessions/2026/01/02/rollout-a.jsonl',
    'claude/projects/-work/0f8f.jsonl',
    'gemini/.gemini/tmp/work/chats/session-1.json',
    'gemini/.gemini/projects.json',
  ];
  const OTHERS = [
    'codex/config.toml',
    'codex/hooks.json',
    'codex/auth.json',
    'codex/state_5.sqlite',
    'claude/settings.json',
    'claude/.claude.json',
    'claude/projects/-work/memory/MEMORY.md',
    'gemini/.gemini/settings.json',
    'opencode/opencode/opencode.db',
    '.bashrc',
  ];

  it('keeps its transcripts, and nothing that says what a program runs', () => {
    const { base, paths } = surroundings();
    const earlier = paths.home(ada);
    for (const file of [...TRANSCRIPTS, ...OTHERS]) put(join(earlier, file), file);
    put(join(base, 'secret'), 'SECRET');
    const sessions = join(earlier, 'codex/sessions');
    symlinkSync(join(base, 'secret'), join(sessions, 'link.jsonl'));
    linkSync(join(base, 'secret'), join(sessions, 'name.jsonl'));
    execFileSync('mkfifo', [join(sessions, 'pipe.jsonl')]);
    symlinkSync(base, join(sessions, 'directory'));
    const home = agentHome(realDisk, paths, {
      team: { id: ULID, inode: statSync(paths.folder).ino },
      member: ada,
      now: Date.now(),
    });
    const files = readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1));
    expect(files.sort()).toEqual(TRANSCRIPTS.toSorted());
    expect(existsSync(join(earlier, 'codex/config.toml'))).toBe(true);
  });
});

describe('homes of removed teams', () => {
  it('are removed with the team; homes of other roots stay, until their root is gone for a month', async () => {
    const on = await team({ members: ['ada'] });
    const house = (root: string, folder: string): string => {
      mkdirSync(folder, { recursive: true });
      return agentHome(realDisk, teamPaths(root, name('crew')), {
        team: { id: ULID, inode: statSync(folder).ino },
        member: ada,
        now: Date.now(),
      });
    };
    const [living, other] = [house(on.root, on.paths.folder), house(join(on.root, 'other'), join(on.root, 'other'))];
    const gone = house(on.root, join(on.root, 'removed'));
    expect(finishPruning(on.root)).toEqual([]);
    expect([living, other, gone].map((home) => existsSync(home))).toEqual([true, true, false]);

    rmSync(join(on.root, 'other'), { recursive: true });
    finishPruning(on.root);
    expect(existsSync(other)).toBe(true);
    utimesSync(join(dirname(other), '.root'), 1_000, 1_000);
    removeLostHomes(realDisk, { root: on.root, inodes: new Set([statSync(on.paths.folder).ino]), now: Date.now() });
    expect([living, other].map((home) => existsSync(home))).toEqual([true, false]);
  });
});

describe.each([
  '/oldroot',
  '../../../../../../oldroot',
  '../../../../../../../oldroot',
  '../../../../../../../../oldroot',
])('a link in a home, to %s, leads no mount out of it', (oldRoot) => {
  it.each(['the isolation is opened', 'the program starts again'])('when %s', async (when) => {
    const place = fencePlace();
    mkdirSync(join(place.home, '.cargo/bin'), { recursive: true });
    const PATH = `${place.home}/.cargo/bin:${place.environment['PATH'] ?? ''}`;
    const here = { ...place, environment: { ...place.environment, PATH } };
    const victim = join(place.base, 'victim');
    mkdirSync(victim);
    const own = ownHomeOf(place);
    const plant = (): void => {
      mkdirSync(own, { recursive: true });
      for (const link of ['work', '.cargo', '.local']) {
        rmSync(join(own, link), { recursive: true, force: true });
        symlinkSync(`${oldRoot}${victim}`, join(own, link));
      }
    };
    plant();
    const held = await openFence(here);
    if (when === 'the program starts again') plant();
    const [work, bin] = [place.work, join(place.home, '.cargo/bin')];
    expect(await runInside(held, here, 'echo one > made; cat made; ls -d ~/.cargo/bin ~/work')).toBe(
      `one\n${bin}\n${work}\n`,
    );
    expect(readdirSync(victim)).toEqual([]);
    expect(readFileSync(join(work, 'made'), 'utf8')).toBe('one\n');
  });
});
