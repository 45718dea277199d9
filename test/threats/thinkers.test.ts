/**
 * Everything that thinks is isolated alike: each door that opens an agent beside a member's own, tried with a program
 * that writes outside as soon as it starts; and the list of all places in the source that open an agent or a process.
 */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { parsePlan } from '../../src/model/plan/plan.ts';
import { configSchema } from '../../src/model/config/config.ts';
import { sessionOptions } from '../../src/runtime/runs/session-options.ts';
import { crossVerify } from '../../src/runtime/runs/cross-verification.ts';
import { HostLeadContext } from '../../src/runtime/runs/host-lead-context.ts';
import { explore } from '../../src/runtime/teammate/exploration-run.ts';
import { RoleSubagents } from '../../src/runtime/teammate/role-subagents.ts';
import { task as taskTool } from '../../src/runtime/tools/lead-tools.ts';
import { tempDir } from '../support/temp.ts';
import { Workplace } from '../support/cli.ts';
import { team } from '../support/session.ts';

const reportSchema = z.looseObject({ notEnforced: z.array(z.string()) });
const never = new AbortController().signal;
let base: string;
let outside: string;
let path: string;
let bare: string;

/** A `claude` that tells that it ran, through the workspace or an event of its end, and writes outside of it. */
beforeEach(() => {
  base = mkdtempSync(join(realpathSync(homedir()), '.thinkers-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  outside = join(base, 'outside');
  const claude = join(base, 'claude');
  writeFileSync(
    claude,
    `#!/bin/sh
case "$*" in *--version*) echo 2.0.0; exit 0;; esac
( : > ${outside} ) 2>/dev/null
echo "it ran, and $(ls ${base}/outside 2>/dev/null || echo wrote nothing outside), home $HOME" >&2
exit 9
`,
  );
  chmodSync(claude, 0o755);
  path = `${base}:${process.env['PATH'] ?? ''}`;
  // The same programs without bubblewrap.
  bare = `${base}:${withoutBubblewrap()}`;
});

/** A directory with what the fake program and Node need. */
function withoutBubblewrap(): string {
  const bin = tempDir();
  for (const name of ['sh', 'cat', 'ls', 'echo', 'git', 'prlimit', 'bash'])
    writeFileSync(join(bin, name), `#!/bin/sh\nexec /usr/bin/${name} "$@"\n`, { mode: 0o755 });
  return bin;
}

/** A root with a home that is not the workspace. */
function place(PATH: string): Workplace {
  const made = new Workplace({ PATH, ANTHROPIC_API_KEY: 'sk-ant-dummy' });
  vi.stubEnv('PATH', PATH);
  vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-dummy');
  return made;
}

interface Door {
  readonly what: string;
  /** @returns what was said of it, on both streams, in events or by an error */
  readonly open: (PATH: string, setting: 'auto' | 'required') => Promise<string>;
}

const config = (at: Workplace, setting: string): Record<string, string> => ({
  ...at.environment,
  TEAMS_SANDBOX_BWRAP: setting,
});

async function cli(PATH: string, setting: string, ...argv: string[]): Promise<string> {
  const at = place(PATH);
  at.put('project/a.txt', '');
  const cwd = join(at.root, 'project');
  const { code, out, err } = await at.say(argv, { environment: config(at, setting), cwd });
  return `exit ${code}: ${out} ${err}`;
}

async function inTeam(
  PATH: string,
  setting: string,
  use: (on: Awaited<ReturnType<typeof team>>) => Promise<unknown>,
): Promise<string> {
  const on = await team({ members: ['ada'] });
  for (const [name, value] of Object.entries({ PATH, ANTHROPIC_API_KEY: 'sk-ant-dummy', TEAMS_SANDBOX_BWRAP: setting }))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const said = await use(on).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  return `${JSON.stringify(said)} ${JSON.stringify(on.events())}`;
}

const DOORS: readonly Door[] = [
  {
    what: 'a relay',
    open: (PATH, setting) => cli(PATH, setting, 'relay', '--to', 'claude', '--prompt', 'look'),
  },
  {
    what: 'a backend without a team',
    open: (PATH, setting) =>
      cli(PATH, setting, 'refine', 'mend it', '--backend', 'claude', '--reviewer', 'exec:true', '--no-team'),
  },
  {
    what: 'a reviewer',
    open: (PATH, setting) =>
      cli(PATH, setting, 'refine', 'mend it', '--backend', 'exec:echo x', '--reviewer', 'claude', '--no-team'),
  },
  {
    what: 'a planner',
    open: (PATH, setting) =>
      cli(PATH, setting, 'run', '2', 'mend the parser', '--planner', 'claude', '--agent', 'exec:true', '--yes'),
  },
  {
    what: 'a cross-verifier',
    open: (PATH, setting) =>
      inTeam(PATH, setting, ({ handle, root }) =>
        crossVerify(
          { ...parsed(root), reviewer: { kind: 'claude' } },
          {
            store: handle.store,
            spender: { store: handle.store, member: 'lead', by: 'lead', onError: () => undefined },
            isolation: setting,
            lend: undefined,
          },
        ),
      ),
  },
  {
    what: 'an explorer of a role',
    open: (PATH, setting) =>
      inTeam(PATH, setting, async ({ handle: { store }, root }) => {
        const pool = [{ kind: 'claude' }] as const;
        const subagents = new RoleSubagents({ store, member: 'ada', cwd: root, pool, envPass: [], isAsked: false });
        onTestFinished(() => subagents.close());
        return explore(store, subagents, { angle: 'codebase', query: 'all' }, never);
      }),
  },
  {
    what: 'a Task without a name',
    open: (PATH, setting) =>
      inTeam(PATH, setting, async ({ root }) => {
        const lead = new HostLeadContext({
          open: { root, environment: process.env },
          session: { ...sessionOptions(configSchema.parse({})), isolation: setting },
          agents: new Map(),
          defaultAgent: () => Promise.resolve({ kind: 'claude' } as const),
          cwd: root,
          trees: { configured: 'off' },
          apply: () => Promise.resolve({ landed: 0, files: [], nothing: '' }),
          environment: process.env,
          keeps: false,
          force: never,
        });
        onTestFinished(async () => {
          await lead.close();
        });
        return taskTool({ prompt: 'look' }, lead, { signal: never, progress: () => {} });
      }),
  },
];

function parsed(cwd: string) {
  const text = JSON.stringify({
    name: 'plan',
    members: [{ name: 'ada', agent: { kind: 'exec' } }],
    tasks: [{ subject: 'x', run: 'true' }],
  });
  return { ...parsePlan({ text, file: 'plan.json', format: 'json' }), cwd };
}

describe('a program beside the members', () => {
  it.each(DOORS)('$what cannot write outside', async ({ open }) => {
    const said = await open(path, 'required');
    expect(said).toContain('it ran, and');
    expect(existsSync(outside), said).toBe(false);
  });

  it.each(DOORS)('$what does not start where isolation is required and missing', async ({ open }) => {
    const said = await open(bare, 'required');
    expect(said).toMatch(/sandbox\.bwrap is \\*"required\\*", and commands cannot be isolated/);
    expect(existsSync(outside), said).toBe(false);
  });

  it.each(DOORS)('$what runs without isolation, so that these tests see what they must', async ({ open }) => {
    const said = await open(bare, 'auto');
    expect(existsSync(outside), said).toBe(true);
  });
});

describe('what is not enforced is said', () => {
  it('a relay says it on stderr', async () => {
    const said = await cli(bare, 'auto', 'relay', '--to', 'claude', '--prompt', 'look', '--sandbox', 'workspace-write');
    expect(said).toMatch(/not enforced: .*claude.*: workspace-write is not enforced: .*: bubblewrap is not installed/);
  });

  it('a Task without a name says it in its answer where there is no team', async () => {
    place(bare);
    const root = tempDir();
    const lead = new HostLeadContext({
      open: { root, environment: process.env },
      session: { ...sessionOptions(configSchema.parse({})), isolation: 'auto' },
      agents: new Map(),
      defaultAgent: () => Promise.resolve({ kind: 'claude' } as const),
      cwd: root,
      trees: { configured: 'off' },
      apply: () => Promise.resolve({ landed: 0, files: [], nothing: '' }),
      environment: process.env,
      keeps: false,
      force: never,
    });
    onTestFinished(async () => {
      await lead.close();
    });
    const call = { signal: never, progress: () => {} };
    const answer = taskTool({ prompt: 'look' }, lead, call);
    await expect(answer).rejects.toThrow(/Not enforced: a subagent \(claude\): .* is not enforced: .*bubblewrap/);
  });

  it('the report names the agent that makes the requested changes', async () => {
    const at = place(bare);
    at.put('all.txt', '');
    const plan = {
      name: 'sharing',
      members: [{ name: 'ada', agent: { kind: 'exec' } }],
      tasks: [{ subject: 'Do a', owner: 'ada', run: 'echo "SHARED all.txt: add a"' }],
      sharedFiles: ['all.txt'],
      lead: { kind: 'claude' },
    };
    at.put('plan.json', JSON.stringify(plan));
    const { out } = await at.say(['run', 'plan.json', '--json'], { environment: at.environment });
    const sentence = /the lead's agent for shared files \(claude\): workspace-write is not enforced: .*bubblewrap/;
    expect(reportSchema.parse(JSON.parse(out)).notEnforced).toEqual([expect.stringMatching(sentence)]);
    expect(readFileSync(join(at.root, '.teams/sharing/report.md'), 'utf8')).toMatch(sentence);
  });
});

/** Every place that opens an agent or starts a process, and what isolates it. */
const OPENERS: Readonly<Record<string, string>> = {
  'runtime/agents/open-agent.ts: agentFor': 'a member: the isolation of its kind and sandbox',
  'runtime/agents/probes.ts: agentFor': 'nothing runs: it is only made, to see whether its options are valid',
  'runtime/tools/subagent-worker.ts: agentFor': 'a subagent: the isolation that Subagents opened for it',
  'runtime/runs/relay-call.ts: Subagents': 'planner, explorer, reviewer, backend: as above',
  'runtime/runs/cross-verification.ts: Subagents': 'as above',
  'runtime/runs/host-lead-context.ts: Subagents': 'Task without a name: as above',
  'runtime/teammate/role-subagents.ts: Subagents': 'discussion, exploration, drafts: as above',
  'agents/programs/exec.ts: runCommand': 'the caller wraps its argv',
  'agents/programs/exec.ts: startProcess': 'the caller wraps its argv',
  'agents/programs/peer.ts: startProcess': 'the caller wraps its argv',
  'agents/programs/persistent-agent.ts: startPeer': 'the dialect wraps its argv',
  'agents/programs/process.ts: spawn': 'the caller wraps its argv',
  'agents/programs/program-probe.ts: runCommand': 'none: an installed program tells its version',
  'agents/programs/program-probe.ts: startPeer': "none: the user's own MCP server, asked by doctor",
  'runtime/isolation/bubblewrap.ts: startProcess': 'it is the probe of the isolation',
  'runtime/tools/marked-shell.ts: startProcess': "a command of a model's tool: its workspace wraps the argv",
  'runtime/landing/gates.ts: runCommand': 'as the strictest of those who wrote: judging-isolation.ts',
  'runtime/team/verify-command.ts: runCommand': 'as above; the caller wraps its argv',
  'runtime/team/hooks.ts: startProcess':
    'a hook that may refuse a task: as above; the others: own-places.ts, as above or outside of the workspace',
  'runtime/process/git.ts: startProcess':
    "git, which runs nothing that the repository names: none in the project, on a member's tree tree-git.ts",
  'runtime/process/tree-git.ts: startProcess': 'it is the probe of that isolation',
  'runtime/process/detach.ts: spawn': 'none: our own lead',
  'runtime/process/user-program.ts: spawn': "none: the person's own git, gh or glab, outside of the project",
  'runtime/process/terminal-process.ts: spawn': 'none: our own view',
  'runtime/lead/spawn-teammate.ts: spawn': 'none: our own teammate',
  'runtime/relay/keep-relay.ts: spawn': 'none: our own relay',
  'os/reaper-handle.ts: spawn': 'none: our own reaper',
};

describe('openers', () => {
  it('every place in the source that opens an agent or starts a process is in the list', () => {
    const call = /(?<![.#\w])(agentFor|startProcess|startPeer|runCommand|spawn|execFile|fork)\(|new (Subagents)\(/g;
    const found = sourceFiles()
      .filter(([file]) => /^(?:agents|os|runtime|store|policy)\//.test(file))
      .flatMap(([file, text]) =>
        text
          .split('\n')
          .filter((line) => !/\bfunction\b|^\s*(?:\*|\/\/|\/\*)/.test(line))
          .flatMap((line) => [...line.matchAll(call)].map(([, one, other]) => `${file}: ${one ?? other ?? ''}`)),
      );
    const namesakes = ['policy/supervise/redistribution.ts: agentFor', 'runtime/runs/api.ts: spawn'];
    expect([...new Set(found)].filter((one) => !namesakes.includes(one)).toSorted()).toEqual(
      Object.keys(OPENERS).toSorted(),
    );
  });
});

function sourceFiles(): [string, string][] {
  const root = join(process.cwd(), 'src');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]);
}
