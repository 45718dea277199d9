/**
 * The real Claude and Codex as writers in trees of their own, isolated, each with its own tools for editing: both change
 * one line at once, and both are killed in the middle of a task. Nothing of what they wrote is lost.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { Asked } from '../fixtures/model-server/asked.ts';
import type { Step, ToolUse } from '../fixtures/model-server/script.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { until, Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { running } from '../support/processes.ts';
import { git, userState } from '../support/tree-scene.ts';
import { environment, reach, realCli } from './clis.ts';

beforeEach(() => {
  allowLeft();
  allowLeft(/\/(?:codex|claude|homes|home)\//);
});

const KINDS = ['claude', 'codex'] as const;
type Kind = (typeof KINDS)[number];

/** Longer than a killed process can wait for its answer. */
const NEVER_MS = 60_000;
const BEGIN = 'one\ntwo\nthree\n';

/** How each model reads, makes and changes a file: with the tools that its program has for it. */
const HANDS: Readonly<
  Record<
    Kind,
    {
      read: (file: string) => ToolUse;
      make: (file: string, text: string) => ToolUse;
      change: (file: string, from: string, to: string) => ToolUse;
    }
  >
> = {
  claude: {
    read: (file) => ({ tool: 'Read', input: { file_path: file } }),
    make: (file, text) => ({ tool: 'Write', input: { file_path: file, content: text } }),
    change: (file, from, to) => ({ tool: 'Edit', input: { file_path: file, old_string: from, new_string: to } }),
  },
  codex: {
    read: (file) => ({ tool: 'exec_command', input: { cmd: `cat ${file}` } }),
    make: (file, text) => patch([`*** Add File: ${file}`, ...marked('+', text)]),
    change: (file, from, to) => patch([`*** Update File: ${file}`, '@@', ...marked('-', from), ...marked('+', to)]),
  },
};

const marked = (mark: string, text: string): string[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => mark + line);
const patch = (lines: readonly string[]): ToolUse => ({
  tool: 'exec_command',
  input: { cmd: ["apply_patch <<'EOF'", '*** Begin Patch', ...lines, '*** End Patch', 'EOF'].join('\n') },
});

/** What both wrote between the marks of a conflict, as the program showed it to its model. */
const conflictIn = (shown: string): string | undefined =>
  /^.*<<<<<<<[^]*?>>>>>>>.*$/m.exec(shown)?.[0].replaceAll(/^ *\d+(?:→|\t)/gm, '');

/** What the tools answered since the task was given. */
interface Turn {
  readonly kind: Kind;
  readonly answers: readonly string[];
}

class Mind {
  /** Both read the file before one of them changes it. */
  readonly #begun = new Set<Kind>();
  /** The kinds whose turn is half done and to be killed. */
  readonly half: Kind[] = [];
  readonly #killed = new Set<Kind>();
  readonly heard: string[] = [];
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  readonly answer = async (asked: Asked): Promise<Step> => {
    const at = asked.messages.findLastIndex(
      ({ role, text }) => role === 'user' && /CHANGE the line|MAKE a file/.test(text),
    );
    if (at === -1) return { text: 'Nothing to do.' };
    const kind: Kind = asked.wire === 'anthropic' ? 'claude' : 'codex';
    const said = asked.messages.slice(at);
    const answers = said.flatMap(({ role, text }) => (role === 'tool' ? [text] : []));
    this.heard.push(...asked.results.map((result) => `${kind}: ${result}`));
    const turn = { kind, answers };
    const calls = said[0]?.text.includes('MAKE a file') === true ? this.#makes(turn) : await this.#changes(turn);
    if (calls === 'never') return { text: 'too late', delayMs: NEVER_MS };
    return calls === undefined ? { text: 'Done.' } : { calls: [calls] };
  };

  /** Claude is isolated by us, and finds its tree where the project lies; Codex isolates itself, and works in the tree. */
  #at(kind: Kind, file: string): string {
    return kind === 'claude' ? join(this.#root, file) : file;
  }

  async #changes({ kind, answers }: Turn): Promise<ToolUse | undefined> {
    const [shown] = answers;
    const file = this.#at(kind, 'shared.txt');
    if (shown === undefined) return HANDS[kind].read(file);
    this.#begun.add(kind);
    await until(() => this.#begun.size === KINDS.length, 'both read the file', NEVER_MS);
    if (answers.length > 1) return undefined;
    const conflict = conflictIn(shown);
    if (conflict === undefined) return HANDS[kind].change(file, 'two', `two of ${kind}`);
    const both = conflict.split('\n').filter((line) => !/^[<=>|]{7}/.test(line) && line !== 'two');
    return HANDS[kind].change(file, conflict, both.join('\n'));
  }

  #makes({ kind, answers }: Turn): ToolUse | 'never' | undefined {
    const isAgain = this.#killed.has(kind);
    if (answers.length === 0)
      return HANDS[kind].make(this.#at(kind, `${kind}.txt`), isAgain ? `whole of ${kind}\n` : `half of ${kind}\n`);
    if (isAgain) return undefined;
    this.#killed.add(kind);
    this.half.push(kind);
    return 'never';
  }
}

function project(): { at: string; place: Workplace } {
  const base = mkdtempSync(join(realpathSync(homedir()), '.real-trees-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const [at, home] = [join(base, 'work'), join(base, 'home')];
  for (const made of [at, home]) mkdirSync(made);
  git(at, 'init', '-q');
  writeFileSync(join(at, 'shared.txt'), BEGIN);
  git(at, 'add', '-A');
  git(at, 'commit', '-qm', 'begin');
  writeFileSync(join(at, 'mine.txt'), 'not committed\n');
  return {
    at,
    place: new Workplace({ HOME: home, XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') }),
  };
}

async function configure({ environment: env }: Workplace, url: string): Promise<void> {
  const { PATH: _, HOME: __, ...keys } = environment('');
  const agents = Object.fromEntries(
    await Promise.all(
      KINDS.map(
        async (kind) => [kind, { kind, command: [await realCli(kind)], ...reach(kind, url), env: keys }] as const,
      ),
    ),
  );
  const config = join(env['XDG_CONFIG_HOME'] ?? '', 'teams');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.yaml'), JSON.stringify({ agents, fallback: [] }));
}

function plan(at: string): void {
  const tasks = [
    ...KINDS.map((owner) => ({ subject: `Change of ${owner}`, owner, prompt: 'CHANGE the line two of shared.txt.' })),
    ...KINDS.map((owner) => ({ subject: `File of ${owner}`, owner, prompt: 'MAKE a file.', blockedBy: [1, 2] })),
  ];
  const members = KINDS.map((name) => ({ name, agent: name }));
  writeFileSync(join(at, 'p.json'), JSON.stringify({ name: 'p', isolation: 'trees', members, tasks }));
}

const mainOf = (at: string): string =>
  git(at, 'for-each-ref', '--format=%(refname)', 'refs/teams')
    .split('\n')
    .find((ref) => ref.endsWith('/main')) ?? '';

/** The process of a member itself; its program goes with it. */
function killMember(at: string, name: string): void {
  const found = running().filter(({ command }) => command.includes('teammate') && command.endsWith(`${at} p ${name}`));
  expect(found, `the process of ${name}`).toHaveLength(1);
  for (const { pid } of found) process.kill(pid, 'SIGKILL');
}

const reportSchema = z.looseObject({ exitCode: z.number(), notEnforced: z.array(z.string()) });

it('the real claude and codex change one line at once in trees of their own, are killed, and lose nothing', async () => {
  const { at, place } = project();
  const mind = new Mind(at);
  const server = await ModelServer.start({ titles: true, script: mind.answer });
  onTestFinished(() => server.close());
  await configure(place, server.url);
  plan(at);
  const before = userState(at);
  const ended = place.say(['run', 'p.json', '--json'], { cwd: at });
  const killed: string[] = [];
  for (const nth of ['first', 'second']) {
    await Promise.race([until(() => mind.half.length > 0, `the ${nth} member is half done`, 120_000), ended]);
    const kind = mind.half.shift();
    if (kind === undefined) break;
    killMember(at, kind);
    killed.push(kind);
  }
  const { out, err } = await ended;
  const { exitCode, notEnforced } = reportSchema.parse(JSON.parse(out));
  expect(exitCode, `${out}${err}${mind.heard.join('\n')}`).toBe(0);
  expect(notEnforced).toEqual([]);
  expect(killed.sort()).toEqual([...KINDS]);
  expect(userState(at)).toEqual(before);
  // All is in the user's own repository.
  rmSync(join(at, '.teams/p/trees'), { recursive: true, force: true });
  const refs = git(at, 'for-each-ref', '--format=%(refname)', 'refs/teams').split('\n');
  const main = refs.find((ref) => ref.endsWith('/main')) ?? '';
  expect(git(at, 'show', `${main}:shared.txt`).split('\n').sort()).toEqual([
    '',
    'one',
    'three',
    'two of claude',
    'two of codex',
  ]);
  for (const kind of KINDS) {
    expect(git(at, 'show', `${main}:${kind}.txt`)).toBe(`whole of ${kind}\n`);
    const left = refs.filter((ref) => ref.includes(`/left/${kind}/`));
    expect(left).toHaveLength(1);
    expect(git(at, 'show', `${left[0] ?? ''}:${kind}.txt`)).toBe(`half of ${kind}\n`);
  }
  const log = (await place.say(['log', 'p', '--json'], { cwd: at })).out;
  expect(log.match(/"task\.bounced"/g), log).toHaveLength(1);
  expect((await place.say(['apply', 'p'], { cwd: at })).code).toBe(0);
  expect(readFileSync(join(at, 'codex.txt'), 'utf8')).toBe('whole of codex\n');
}, 300_000);

it('the real claude reads the plan of its pipeline in the session folder, and changes its tree', async () => {
  const { at, place } = project();
  const heard: string[] = [];
  const script = ({ messages, user, results }: Asked): Step => {
    const all = messages.map(({ text }) => text).join('\n');
    const session = /^session: (.*)$/m.exec(all)?.[1] ?? '';
    const role = [...all.matchAll(/^role: (\w+)$/gm)].at(-1)?.[1];
    const phase = [...all.matchAll(/^## Phase (\d)/gm)].at(-1)?.[1];
    heard.push(...results);
    if (role === 'planner' && phase === '3') return { text: '# The plan\n\nBuild it.' };
    if (role !== 'executor' || results.length > 0) return { text: 'Done.' };
    if (phase === '2') return { calls: [HANDS.claude.read(join(session, 'spec/plan.md'))] };
    return phase === '3' && user !== ''
      ? { calls: [HANDS.claude.make(join(at, 'built.txt'), 'built\n')] }
      : { text: 'Done.' };
  };
  const server = await ModelServer.start({ titles: true, script });
  onTestFinished(() => server.close());
  await configure(place, server.url);
  const before = userState(at);
  const argv = ['pipeline', 'impl-only', 'Add a dark mode', '--agent', 'claude', '--isolation', 'trees', '--quiet'];
  const { code, out, err } = await place.say(argv, { cwd: at });
  expect(code, `${out}${err}${heard.join('\n')}`).toBe(0);
  expect(userState(at)).toEqual(before);
  expect(heard.join('\n')).toContain('Build it.');
  expect(git(at, 'show', `${mainOf(at)}:built.txt`)).toBe('built\n');
}, 300_000);

it('the real claude and codex refine one result at once, and the winner lands', async () => {
  const { at, place } = project();
  const script = ({ messages, wire }: Asked): Step => {
    const asks = messages.findLastIndex(({ role, text }) => role === 'user' && text.includes('fix the build'));
    if (asks === -1 || messages.slice(asks).some(({ role }) => role === 'tool')) return { text: 'Done.' };
    const kind: Kind = wire === 'anthropic' ? 'claude' : 'codex';
    const file = kind === 'claude' ? join(at, 'out.txt') : 'out.txt';
    return { calls: [HANDS[kind].make(file, kind === 'codex' ? 'good\n' : 'bad\n')] };
  };
  const server = await ModelServer.start({ titles: true, script });
  onTestFinished(() => server.close());
  await configure(place, server.url);
  const before = userState(at);
  const backends = ['--backend', 'claude', '--backend', 'codex', '--reviewer', 'exec:grep -q good out.txt'];
  const argv = [
    'refine',
    'fix the build',
    '--isolation',
    'trees',
    '--timeout',
    '120s',
    '--max-rounds',
    '1',
    ...backends,
  ];
  const { code, out, err } = await place.say(argv, { cwd: at });
  expect(code, `${out}${err}`).toBe(0);
  expect(userState(at)).toEqual(before);
  expect(git(at, 'show', `${mainOf(at)}:out.txt`)).toBe('good\n');
}, 300_000);
