/**
 * Commands that judge work (gates, `verify:`, hooks that may refuse) run what members wrote: they may do no more than
 * these members.
 */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { configSchema } from '../../src/model/config/config.ts';
import { HostLeadContext } from '../../src/runtime/runs/host-lead-context.ts';
import { sessionOptions } from '../../src/runtime/runs/session-options.ts';
import { Workplace } from '../support/cli.ts';

const reportSchema = z.looseObject({ exitCode: z.number(), notEnforced: z.array(z.string()) });

let outside: string;
let place: Workplace;

beforeEach(() => {
  const base = mkdtempSync(join(realpathSync(homedir()), '.judged-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  outside = join(base, 'outside');
  place = new Workplace();
  place.put('project/check.sh', 'exit 1\n');
});

/** What a member writes into the script that judges it. */
const rewrite = (script: string): string => `printf '%s\\n' '${script}' > check.sh`;
const escape = (): string => `( : > ${outside} ) 2>/dev/null; exit 0`;

interface Try {
  readonly sandbox?: 'workspace-write' | 'full' | undefined;
  readonly verify?: string[];
  readonly gates?: object;
  readonly run?: string;
  readonly environment?: Record<string, string>;
}

async function run({ sandbox, verify = [], gates = {}, run: command = rewrite(escape()), environment = {} }: Try) {
  const plan = {
    name: 'judged',
    members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox }],
    tasks: [{ subject: 'Work', owner: 'ada', run: command, verify }],
    gates,
  };
  place.put('project/plan.json', JSON.stringify(plan));
  const cwd = join(place.root, 'project');
  const { out, err } = await place.say(['run', 'plan.json', '--json'], {
    cwd,
    environment: { ...place.environment, ...environment },
  });
  return { ...reportSchema.parse(JSON.parse(out)), err };
}

const text = (): string => readFileSync(join(place.root, 'project/.teams/judged/report.md'), 'utf8');
const BOTH: Try = { verify: ['sh check.sh'], gates: { test: 'sh check.sh' } };

describe('what members in a sandbox wrote', () => {
  it('a verification and a gate run it without the rights of the user', async () => {
    const { exitCode, notEnforced } = await run({ ...BOTH, sandbox: 'workspace-write' });
    expect({ exitCode, notEnforced }).toEqual({ exitCode: 0, notEnforced: [] });
    expect(existsSync(outside)).toBe(false);
  });

  it('with gates.sandbox off they run as the user, and the report says so', async () => {
    const environment = { TEAMS_GATES_SANDBOX: 'off' };
    const { exitCode, notEnforced } = await run({ ...BOTH, sandbox: 'workspace-write', environment });
    expect(exitCode).toBe(0);
    expect(existsSync(outside)).toBe(true);
    expect(notEnforced).toEqual([
      'verify: of task #1: workspace-write is not enforced: gates.sandbox is off',
      'gate test: workspace-write is not enforced: gates.sandbox is off',
    ]);
    expect(text()).toContain('gate test: workspace-write is not enforced: gates.sandbox is off');
  });

  it.each([undefined, 'full' as const])('a member with the sandbox %s is judged as it works', async (sandbox) => {
    const { exitCode, notEnforced } = await run({ ...BOTH, sandbox });
    expect({ exitCode, notEnforced, wrote: existsSync(outside) }).toEqual({
      exitCode: 0,
      notEnforced: [],
      wrote: true,
    });
  });

  it('a hook that may refuse a task runs it without the rights of the user', async () => {
    const environment = { TEAMS_HOOKS_ON_TASK_COMPLETED: 'sh check.sh' };
    const { exitCode } = await run({ sandbox: 'workspace-write', environment });
    expect({ exitCode, wrote: existsSync(outside) }).toEqual({ exitCode: 0, wrote: false });
  });

  it("a member's own report is verified in its isolation, in its home", async () => {
    const command = `${rewrite(`${escape().replace('; exit 0', '')}; test -e ~/mine`)}; : > ~/mine; teams task complete 1 --result fine`;
    const { exitCode } = await run({ sandbox: 'workspace-write', run: command, verify: ['sh check.sh'] });
    expect({ exitCode, wrote: existsSync(outside) }).toEqual({ exitCode: 0, wrote: false });
  });

  it.each([
    ['without a network', {}, 1],
    ['with a network if the user says so', { TEAMS_GATES_NETWORK: 'true' }, 0],
  ])('they run %s', async (_, environment, code) => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const script = `node -e "require(\\"net\\").connect(${port}, \\"127.0.0.1\\").on(\\"connect\\", () => process.exit(0)).on(\\"error\\", () => process.exit(1))"`;
    for (const judged of [{ verify: ['sh check.sh'] }, { gates: { test: 'sh check.sh' } }]) {
      const { exitCode } = await run({ ...judged, sandbox: 'workspace-write', run: rewrite(script), environment });
      expect(exitCode).toBe(code);
      rmSync(join(place.root, 'project/.teams'), { recursive: true, force: true });
      rmSync(join(place.root, 'project/.tasks'), { recursive: true, force: true });
    }
    if (code === 1) expect(text).toThrow();
  });

  it('the validation of a refine loop runs it without the rights of the user', async () => {
    place.put('project/back.sh', `${rewrite(escape())}\necho 'Done.'\n`);
    const cwd = join(place.root, 'project');
    const words = ['refine', 'fix it', '--backend', 'exec:sh back.sh', '--validate', 'sh check.sh'];
    const how = ['--sandbox', 'workspace-write', '--no-team', '--max-rounds', '1'];
    const { err } = await place.say([...words, ...how], { cwd });
    expect(readFileSync(join(cwd, 'check.sh'), 'utf8'), err).toContain('exit 0');
    expect(existsSync(outside)).toBe(false);
    const environment = { ...place.environment, TEAMS_GATES_SANDBOX: 'off' };
    const { out } = await place.say([...words, ...how], { cwd, environment });
    expect(existsSync(outside)).toBe(true);
    expect(out).toContain('the validation: workspace-write is not enforced: gates.sandbox is off');
  });

  it.each([undefined, 'workspace-write'])(
    'where isolation is required, a validation works too: %s',
    async (sandbox) => {
      place.put('project/back.sh', `${rewrite(escape())}\necho 'Done.'\n`);
      const words = ['refine', 'fix it', '--backend', 'exec:sh back.sh', '--validate', 'sh check.sh', '--no-team'];
      const how = ['--max-rounds', '1', ...(sandbox === undefined ? [] : ['--sandbox', sandbox])];
      const environment = { ...place.environment, TEAMS_SANDBOX_BWRAP: 'required' };
      const { code, out, err } = await place.say([...words, ...how], { cwd: join(place.root, 'project'), environment });
      expect({ code, wrote: existsSync(outside) }, `${out}${err}`).toEqual({ code: 0, wrote: false });
    },
  );

  it.each([
    'mkfifo package.json',
    'mkdir package.json',
    'ln -s /dev/zero package.json',
    'ln -s /etc/passwd package.json',
    'echo {} >a; ln a package.json',
    'truncate -s 60G package.json',
    'truncate -s 60G Makefile',
    'mkfifo Makefile',
    'ln -s Makefile Makefile',
  ])('a gate that is detected is skipped, and the run ends in order: %s', async (command) => {
    const { exitCode } = await run({ sandbox: 'workspace-write', run: command, gates: { test: true } });
    expect(exitCode).toBe(0);
    expect(text()).toContain('no test command was found');
  });

  it('a failed gate names the cure', async () => {
    await run({ sandbox: 'workspace-write', run: rewrite('exit 3'), gates: { test: 'sh check.sh' } });
    expect(text()).toMatch(/gate test: sh check\.sh: exit 3.*gates\.sandbox: off/);
  });
});

describe('what others wrote who are held', () => {
  const project = (): string => join(place.root, 'project');
  const put = (plan: object) => place.put('project/plan.json', JSON.stringify({ name: 'judged', ...plan }));
  const say = (...words: string[]) =>
    place.say(words, { cwd: project(), environment: { ...place.environment, TEAMS_SANDBOX_BWRAP: 'required' } });

  it('a command without a named sandbox is held where isolation is required: a gate is, too', async () => {
    const environment = { TEAMS_SANDBOX_BWRAP: 'required' };
    const { exitCode } = await run({ ...BOTH, environment });
    expect({ exitCode, wrote: existsSync(outside) }).toEqual({ exitCode: 0, wrote: false });
  });

  it.each([
    ['is full since', 'full'],
    ['has none since', undefined],
  ])(
    'a member that worked in a sandbox and %s: a gate runs what it wrote without the rights of the user',
    async (_, sandbox) => {
      const work = { subject: 'Work', owner: 'ada', run: rewrite(escape()) };
      const plan = { members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'workspace-write' }], tasks: [work] };
      put(plan);
      expect((await place.say(['run', 'plan.json'], { cwd: project() })).code).toBe(0);
      const more = { subject: 'More', owner: 'ada', run: 'true' };
      const gates = { test: 'sh check.sh' };
      put({ members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox }], tasks: [work, more], gates });
      const up = await place.say(['up', 'plan.json', '--yes'], { cwd: project() });
      expect(up.code, up.err).toBe(0);
      const { code, err } = await place.say(['resume', 'judged'], { cwd: project() });
      expect({ code, wrote: existsSync(outside) }, err).toEqual({ code: 0, wrote: false });
    },
  );

  it("the lead's agent for shared files: a gate runs what it wrote without the rights of the user", async () => {
    place.put('project/lead.sh', `${rewrite(escape())}\necho DONE 1\n`);
    const wish = 'echo Done.; echo "SHARED check.sh: mend it"';
    put({
      members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'full' }],
      tasks: [{ subject: 'Work', owner: 'ada', run: wish }],
      gates: { test: 'sh check.sh' },
      sharedFiles: ['check.sh'],
      lead: { kind: 'exec', command: ['sh', 'lead.sh'] },
    });
    const { code, err, out } = await say('run', 'plan.json');
    expect({ code, wrote: existsSync(outside) }, `${out}${err}`).toEqual({ code: 0, wrote: false });
  });

  it("the lead's agent for shared files does not see the team's folder below the workspace", async () => {
    const team = join(place.root, 'around/project/.teams/judged');
    place.put('around/lead.sh', `( : > ${team}/seen ) 2>/dev/null; ls ${team} >seen; echo DONE 1\n`);
    const plan = {
      name: 'judged',
      cwd: '..',
      members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'full' }],
      tasks: [{ subject: 'Work', owner: 'ada', run: 'echo Done.; echo "SHARED seen: make it"' }],
      sharedFiles: ['seen'],
      lead: { kind: 'exec', command: ['sh', 'lead.sh'] },
    };
    place.put('around/project/plan.json', JSON.stringify(plan));
    const environment = { ...place.environment, TEAMS_SANDBOX_BWRAP: 'required' };
    const { code, err, out } = await place.say(['run', 'plan.json'], {
      cwd: join(place.root, 'around/project'),
      environment,
    });
    expect(code, `${out}${err}`).toBe(0);
    expect(readFileSync(join(place.root, 'around/seen'), 'utf8')).toBe('');
    expect(existsSync(join(team, 'seen'))).toBe(false);
  });

  it('a subagent of a model that leads is a writer of its team, and of the one that it makes later', async () => {
    const lead = new HostLeadContext({
      open: { root: place.root, environment: process.env },
      session: sessionOptions(configSchema.parse({})),
      agents: new Map(),
      defaultAgent: () => Promise.resolve('none'),
      cwd: place.root,
      trees: { configured: 'off' },
      apply: () => Promise.resolve({ landed: 0, files: [], nothing: '' }),
      environment: process.env,
      keeps: false,
      force: new AbortController().signal,
    });
    onTestFinished(async () => {
      await lead.close();
    });
    await lead.noteWriter({ kind: 'claude' });
    await lead.create({ name: 'crew', about: undefined });
    const writers = () => lead.team?.store.config.readOwn()?.writers?.map(({ agent }) => agent?.kind);
    expect(writers()).toEqual(['claude']);
    await lead.noteWriter({ kind: 'anthropic' });
    await lead.noteWriter({ kind: 'claude' });
    expect(writers()).toEqual(['claude', 'anthropic']);
  });
});
