/**
 * The rules of rooms (docs/specification.md R13.5; src/README.md), checked on every source file. The check itself is
 * tested with sources that break each rule.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderViolations, importCycles, violations, type Architecture } from './support/architecture.ts';
import { factsOf } from './support/source-facts.ts';

const BELOW_SURFACES = ['model', 'os', 'policy', 'store', 'agents', 'runtime'];
const TALK = ['events', 'path', 'process', 'readline', 'readline/promises', 'stream', 'tty', 'url', 'util'];

const ARCHITECTURE: Architecture = {
  rooms: {
    model: { rooms: [], packages: ['zod', 'yaml', 'ulid'] },
    os: {
      rooms: ['model'],
      builtins: ['child_process', 'net', 'path', 'process', 'stream', 'timers/promises'],
    },
    policy: { rooms: ['model'], packages: ['picomatch'] },
    store: {
      rooms: ['model', 'os'],
      packages: ['zod', 'ulid'],
      lazyPackages: ['proper-lockfile', 'chokidar', 'pg'],
      builtins: ['buffer', 'crypto', 'fs', 'os', 'path', 'process', 'string_decoder', 'util', 'worker_threads', 'zlib'],
    },
    agents: {
      rooms: ['model', 'os'],
      packages: ['zod'],
      lazyPackages: [
        'ai',
        '@ai-sdk/anthropic',
        '@ai-sdk/openai-compatible',
        '@ai-sdk/google',
        '@agentclientprotocol/sdk',
        '@modelcontextprotocol/client',
      ],
      builtins: [
        'buffer',
        'child_process',
        'events',
        'os',
        'path',
        'process',
        'readline',
        'stream',
        'string_decoder',
        'util',
      ],
    },
    runtime: {
      rooms: ['model', 'os', 'policy', 'store', 'agents'],
      packages: [],
      lazyPackages: [
        'piscina',
        '@opentelemetry/api',
        '@opentelemetry/resources',
        '@opentelemetry/sdk-trace-node',
        '@opentelemetry/sdk-logs',
        '@opentelemetry/sdk-metrics',
        '@opentelemetry/exporter-trace-otlp-http',
        '@opentelemetry/exporter-logs-otlp-http',
        '@opentelemetry/exporter-metrics-otlp-http',
      ],
      builtins: [
        'child_process',
        'crypto',
        'events',
        'os',
        'path',
        'process',
        'stream',
        'timers/promises',
        'url',
        'util',
        'worker_threads',
      ],
    },
    'index.ts': { rooms: BELOW_SURFACES },
    'app.ts': { rooms: ['index.ts', ...BELOW_SURFACES] },
    'surfaces/cli': {
      rooms: ['app.ts'],
      packages: ['commander', 'fast-string-width', 'zod', 'yaml'],
      builtins: TALK,
    },
    'surfaces/wire': { rooms: ['app.ts'], builtins: TALK },
    'surfaces/person': { rooms: ['app.ts'], packages: ['zod'] },
    'surfaces/http': { rooms: ['app.ts'], builtins: [...TALK, 'crypto', 'http', 'net'] },
    'surfaces/mcp': {
      rooms: ['app.ts', 'surfaces/person', 'surfaces/wire', 'surfaces/http'],
      packages: ['@modelcontextprotocol/server', '@hono/node-server', 'zod'],
      builtins: [...TALK, 'crypto'],
    },
    'surfaces/acp': {
      rooms: ['app.ts', 'surfaces/person', 'surfaces/wire'],
      packages: ['@agentclientprotocol/sdk', 'zod'],
      builtins: TALK,
    },
    'surfaces/terminal': {
      rooms: ['app.ts'],
      packages: ['ink', 'react', 'fast-string-width'],
      builtins: TALK,
    },
    'surfaces/web': {
      rooms: ['app.ts', 'surfaces/http'],
      packages: ['hono', '@hono/node-server', 'preact', 'uplot', 'zod'],
      builtins: TALK,
    },
  },
  ambient: [
    { uses: ['Date.now', 'Date()', 'new Date()', 'Date', 'performance*'], only: ['os/system-clock.ts'] },
    // The meaning of a log must not depend on how a version of Node prints a date.
    { uses: ['new Date(…)'], never: ['model/board/advance.ts', 'model/board/board.ts', 'model/board/task.ts'] },
    { uses: ['console*'], only: ['surfaces'] },
    { uses: ['fetch*'], only: ['agents'] },
    { uses: ['process*', 'crypto*', 'Math.random', 'Math'], never: ['model', 'policy'] },
    { uses: ['setTimeout*', 'setInterval*', 'setImmediate*', 'queueMicrotask*'], never: ['model', 'policy'] },
    { uses: ['async', 'Promise*'], never: ['policy'] },
    { uses: ['JSON.parse', 'JSON'], never: ['policy', 'runtime'] },
    { uses: ['globalThis*'], only: ['agents', 'surfaces'] },
    { uses: ['require*', 'eval*', 'Function*', 'shell: true'], only: [] },
  ],
  exceptions: [
    {
      path: 'agents/script-files.ts',
      builtins: ['fs'],
      why: 'a missing cwd, and what a script reads, awaits and writes',
    },
    {
      path: 'agents/loop/session-file.ts',
      builtins: ['fs'],
      why: 'keeps the conversation of a model agent in its home',
    },
    {
      path: 'agents/programs/agent-home-contents.ts',
      builtins: ['fs'],
      why: "an agent's own configuration home: settings, links to logins",
    },
    { path: 'os/process-files.ts', builtins: ['fs'], why: 'reads /proc, and opens the pipe that it found' },
    { path: 'os/draw-marks.ts', builtins: ['crypto'], why: 'marks are drawn by crypto.randomInt' },
    { path: 'os/open-directory.ts', builtins: ['fs'], why: 'reads /proc' },
    {
      path: 'os/own-directory.ts',
      builtins: ['fs'],
      why: 'makes directories, and opens those of a program without following links',
    },
    { path: 'os/process-table-linux.ts', builtins: ['fs'], why: 'reads /proc' },
    {
      path: 'os/program-path.ts',
      builtins: ['fs', 'os'],
      why: 'looks for an executable on PATH, and knows the home directory as no project',
    },
    {
      path: 'surfaces/cli/own-stream.ts',
      builtins: ['fs', 'os'],
      why: "writes this process's own streams: Node gives a stream to a file up at its first error",
    },
    {
      path: 'surfaces/cli/cli-warm-up.ts',
      builtins: ['fs', 'os'],
      why: 'a directory of its own, when the package is built',
    },
    { path: 'surfaces/web/page/http-client.ts', uses: ['fetch()'], why: 'the page asks its own server' },
    { path: 'surfaces/web/page/use-now.ts', uses: ['Date.now'], why: "the page's only clock, in the browser" },
  ],
  floors: {
    model: ['config', 'plan', 'pipeline', 'run', 'member', 'team', 'past', 'board', 'agent', 'text'],
    policy: ['explain', 'supervise', 'pipeline', 'refine', 'divide', 'landing', 'budget', 'up', 'sandbox', 'view', ''],
    store: ['', 'engine', 'session', 'team', 'trees', 'replica', 'workspace', 'mail', 'board', 'lock', 'user', 'files'],
    runtime: [
      'setup',
      'runs/refine',
      'runs/apply',
      'runs/pipeline',
      'runs/up',
      'runs',
      'landing',
      'relay',
      'host',
      'teammate',
      'agents',
      'lead',
      'placement',
      'hooks',
      'tools',
      'isolation',
      'budget',
      'team',
      'telemetry',
      'replay',
      'past',
      'views',
      'trees',
      'process',
    ],
  },
  mostFiles: 25,
  doors: {
    'surfaces/cli/output/terminal-verb.ts': 'surfaces/terminal/terminal-main.ts',
    'surfaces/cli/commands/runs/run.ts': 'surfaces/terminal/progress-view.ts',
    'surfaces/cli/commands/setup/acp.ts': 'surfaces/acp/serve-acp.ts',
    'surfaces/cli/commands/setup/mcp.ts': 'surfaces/mcp/serve-mcp.ts',
    'surfaces/cli/commands/setup/mcp-http.ts': 'surfaces/mcp/serve-http.ts',
    'surfaces/cli/commands/teams/worker.ts': 'surfaces/terminal/progress-view.ts',
    'surfaces/cli/commands/views/watch.ts': 'surfaces/terminal/progress-view.ts',
    'surfaces/cli/commands/views/ui.ts': 'surfaces/web/open-ui.ts',
  },
  forbiddenNames: /(?:^|[/-])(?:utils?|helpers?|common|managers?|misc|v2)(?:[./-]|$)/,
  forbiddenText: /eslint-disable|@ts-(?:ignore|nocheck|expect-error)/,
  namespaces: ['zod'],
};

function violationsOf(sources: Readonly<Record<string, string>>, architecture = ARCHITECTURE): string[] {
  return factsOf(new Map(Object.entries(sources))).flatMap((facts) => violations(facts, architecture));
}

describe('the source', () => {
  const root = join(import.meta.dirname, '..', 'src');
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));

  const sources = Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));

  it('the source follows the rooms, and uses the outside world only where it may', () => {
    expect(paths).toContain('model/board/board.ts');
    expect(violationsOf(sources)).toEqual([]);
  });

  it('the source has no cycle of imports, types included', () => {
    expect(importCycles(factsOf(new Map(Object.entries(sources))))).toEqual([]);
  });

  it('the source has no folder that is too full or unlisted, and no barrel', () => {
    expect(folderViolations(paths, ARCHITECTURE)).toEqual([]);
  });

  it('the page of the architecture has the order of the folders', () => {
    const page = readFileSync(join(root, '..', 'docs/architecture.md'), 'utf8');
    const [, floors = ''] =
      page
        .split('\n## ')
        .find((part) => part.startsWith('Floors'))
        ?.split('| room |') ?? [];
    const rows = new Map(
      [...floors.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, room = '', row = '']) => [
        room,
        [...row.matchAll(/`([\w/]+)`|the room itself/g)].map(([, folder = '']) => folder),
      ]),
    );
    for (const [room, folders] of Object.entries(ARCHITECTURE.floors)) expect(rows.get(room)).toEqual(folders);
    const about = [...floors.matchAll(/^\| `([\w/]+)` \| [^|]+ \| `[^|]+ \|$/gm)].map(([, folder]) => folder);
    expect(about.toSorted()).toEqual((ARCHITECTURE.floors['runtime'] ?? []).toSorted());
  });

  it.each(ARCHITECTURE.exceptions)('the exception of $path is needed', ({ path }) => {
    const others = ARCHITECTURE.exceptions.filter((exception) => exception.path !== path);
    const text = sources[path] ?? '';
    expect(violationsOf({ [path]: text }, { ...ARCHITECTURE, exceptions: others })).not.toEqual([]);
  });
});

describe('the check', () => {
  it.each([
    [
      'a room that is not below',
      'policy/a.ts',
      `import { open } from '../store/file.ts';`,
      'policy may not import store',
    ],
    ['a type of such a room', 'model/a.ts', `import type { A } from '../policy/a.ts';`, 'model may not import policy'],
    ['a type by import()', 'model/a.ts', `type A = import('../store/a.ts').A;`, 'model may not import store'],
    ['a lazy import of one', 'agents/a.ts', `await import('../runtime/a.ts');`, 'agents may not import runtime'],
    ['a re-export of one', 'store/a.ts', `export * from '../agents/a.ts';`, 'store may not import agents'],
    ['a surface inside', 'runtime/a.ts', `import '../surfaces/cli/main.ts';`, 'runtime may not import surfaces/cli'],
    [
      'a surface in the API',
      'index.ts',
      `export * from './surfaces/cli/main.ts';`,
      'index.ts may not import surfaces/cli',
    ],
    [
      'an import around the API',
      'surfaces/cli/a.ts',
      `import '../../model/a.ts';`,
      'surfaces/cli may not import model',
    ],
    [
      'another surface',
      'surfaces/cli/commands/runs/run.ts',
      `import '../../../web/open-ui.ts';`,
      'surfaces/cli may not import surfaces/web',
    ],
    [
      'the inside of another surface',
      'surfaces/cli/commands/views/ui.ts',
      `void import('../../../web/a.ts');`,
      'surfaces/cli may not import surfaces/web',
    ],
    [
      'an import without a listed door',
      'surfaces/cli/commands/teams/list.ts',
      `void import('../../../web/open-ui.ts');`,
      'surfaces/cli may not import surfaces/web',
    ],
    [
      'an import from outside of the rooms',
      'store/a.ts',
      `import '../../scripts/a.ts';`,
      'imports ../scripts/a.ts, which stands in no room',
    ],
    ['a computed address', 'agents/a.ts', `const a = 'x'; await import(a);`, 'imports a computed address'],
    ['an unknown package', 'store/a.ts', `import 'left-pad/x';`, 'store may not import left-pad'],
    ['an unknown scoped package', 'agents/a.ts', `import '@a/b/c';`, 'agents may not import @a/b'],
    [
      'a heavy package at start',
      'store/a.ts',
      `import { lock } from 'proper-lockfile';`,
      'store may import proper-lockfile only lazily',
    ],
    ['zod by name', 'model/a.ts', `import { z } from 'zod';`, 'imports zod by name, not as a namespace'],
    ['a builtin in model', 'model/a.ts', `import 'node:path';`, 'model may not import node:path'],
    ['processes in store', 'store/a.ts', `import 'node:child_process';`, 'store may not import node:child_process'],
    ['files in runtime', 'runtime/a.ts', `import 'node:fs/promises';`, 'runtime may not import node:fs/promises'],
    ['a builtin by its old name', 'store/a.ts', `import 'fs';`, 'imports fs without node:'],
    ['the clock', 'store/a.ts', `export const at = Date.now();`, 'may not use Date.now'],
    ['the clock by new', 'surfaces/cli/a.ts', `export const at = new Date();`, 'may not use new Date()'],
    ['the clock by another name', 'runtime/a.ts', `const { now } = Date; now();`, 'may not use Date'],
    ['code from text', 'model/a.ts', `export const a = new Function('return 1');`, 'may not use new Function(…)'],
    ['the fine clock', 'runtime/a.ts', `performance.now();`, 'may not use performance.now'],
    ['a date in the fold', 'model/board/advance.ts', `export const at = new Date(0);`, 'may not use new Date(…)'],
    ['chance', 'policy/a.ts', `export const luck = Math.random();`, 'may not use Math.random'],
    ['the process', 'model/a.ts', `export const me = process.pid;`, 'may not use process.pid'],
    ['the process in an object', 'model/a.ts', `export const all = { process };`, 'may not use process'],
    ['a timer', 'policy/a.ts', `setTimeout(() => 0, 1);`, 'may not use setTimeout()'],
    ['a promise', 'policy/a.ts', `export const a = Promise.resolve(1);`, 'may not use Promise.resolve'],
    ['async', 'policy/a.ts', `export const a = async () => 1;`, 'may not use async'],
    ['the network', 'runtime/a.ts', `void fetch('http://localhost');`, 'may not use fetch()'],
    ['speech', 'store/a.ts', `console.log('hello');`, 'may not use console.log'],
    ['parsing', 'runtime/a.ts', `JSON.parse('1');`, 'may not use JSON.parse'],
    ['a use through globalThis', 'store/a.ts', `globalThis.console.log(1);`, 'may not use globalThis.console'],
    ['require', 'agents/a.ts', `require('x');`, 'may not use require()'],
    ['a shell', 'agents/a.ts', `spawn('ls', { shell: true }); function spawn() {}`, 'may not use shell: true'],
    ['a switched-off rule', 'store/a.ts', `// eslint-disable-next-line`, 'may not say eslint-disable'],
    ['a switched-off type', 'store/a.ts', `// @ts-expect-error`, 'may not say @ts-expect-error'],
    ['a file name without a meaning', 'store/utils.ts', ``, 'has a name that says nothing'],
    ['a folder name without a meaning', 'store/common/a.ts', ``, 'has a name that says nothing'],
    ['a second version of a file', 'store/inbox-v2.ts', ``, 'has a name that says nothing'],
    [
      'a folder above',
      'runtime/team/a.ts',
      `import '../lead/b.ts';`,
      'runtime/team may not import runtime/lead, which is above it',
    ],
    [
      'a type of a folder above',
      'runtime/runs/a.ts',
      `import type { B } from './refine/b.ts';`,
      'runtime/runs may not import runtime/runs/refine, which is above it',
    ],
    ['a file outside the rooms', 'lib/a.ts', ``, 'stands in no room'],
  ])('the check finds %s', (_, path, text, why) => {
    expect(violationsOf({ [path]: text })).toEqual([`${path}:1 ${why}`]);
  });

  it('the check finds a cycle of types', () => {
    const sources = new Map([
      ['model/a.ts', `import type { B } from './b.ts';`],
      ['model/b.ts', `import { c } from './c.ts';`],
      ['model/c.ts', `import type { A } from './a.ts';`],
      ['model/d.ts', `import { a } from './a.ts'; export const lazy = () => import('./e.ts');`],
      ['model/e.ts', `import { d } from './d.ts';`],
    ]);
    expect(importCycles(factsOf(sources))).toEqual([['model/a.ts', 'model/b.ts', 'model/c.ts']]);
  });

  it('the check finds a folder that is too full, an unlisted folder, and a barrel', () => {
    const files = Array.from({ length: 26 }, (_, at) => `runtime/lead/${at}.ts`);
    const found = folderViolations([...files, 'store/new/a.ts', 'store/lock/index.ts', 'index.ts'], ARCHITECTURE);
    expect(found).toEqual([
      'runtime/lead holds 26 source files; 25 are the limit',
      'store/lock/index.ts is a barrel',
      'store/new has no place in the list of floors',
    ]);
  });

  it('the check gives the line', () => {
    expect(violationsOf({ 'policy/a.ts': '\n/** … */\nexport const at = Date.now();' })).toEqual([
      'policy/a.ts:3 may not use Date.now',
    ]);
  });

  it.each([
    ['a name that is an argument', 'policy/a.ts', `export const at = (process: { pid: number }) => process.pid;`],
    [
      'a member of that name',
      'model/a.ts',
      `export interface A { fetch: number }; export const a = (x: A) => x.fetch;`,
    ],
    [
      'a key of that name',
      'policy/a.ts',
      `export const a = ({ process: b }: { process: number }) => ({ process: b });`,
    ],
    ['a type of that name', 'policy/a.ts', `export type A = Promise<Date>;`],
    ['a date made of an argument', 'policy/a.ts', `export const a = (ms: number) => new Date(ms).toISOString();`],
    ['arithmetic', 'policy/a.ts', `export const a = Math.max(1, 2);`],
    ['the one clock', 'os/system-clock.ts', `export const now = () => Date.now() + performance.now();`],
    ['a heavy package later', 'store/a.ts', `export const a = () => import('proper-lockfile');`],
    ['a heavy package as a type', 'store/a.ts', `import type { LockOptions } from 'proper-lockfile';`],
    ['a door', 'surfaces/cli/commands/views/ui.ts', `export const a = () => import('../../../web/open-ui.ts');`],
  ])('the check allows %s', (_, path, text) => {
    expect(violationsOf({ [path]: text })).toEqual([]);
  });
});

describe('git', () => {
  // `teams pr` pushes as the person would, with their credentials and hooks. The doctor looks for the program; it does
  // not run it.
  const ALLOWED = ['runtime/process/git.ts', 'runtime/runs/apply/push-branch.ts', 'runtime/setup/doctor.ts'];

  it('only one module starts git, so that no call trusts the repository', () => {
    const root = new URL('../src/', import.meta.url).pathname;
    const named = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && /(['"`])git\1/.test(readFileSync(join(root, path), 'utf8')))
      .sort();
    expect(named).toEqual(ALLOWED);
  });
});
