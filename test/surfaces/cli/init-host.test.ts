/**
 * `teams init --host`: our entry in an MCP host's own configuration is shown first, written once, and overwrites
 * nothing.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { BIN, Workplace } from '../../support/cli.ts';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});

const FILES = {
  claude: '.mcp.json',
  codex: 'home/.codex/config.toml',
  gemini: 'home/.gemini/settings.json',
  opencode: 'opencode.json',
} as const;
const hosts = Object.entries(FILES).map(([host, file]) => ({ host, file }));
const read = (file: string): string => readFileSync(join(place.root, file), 'utf8');

describe.each(hosts)('for $host', ({ host, file }) => {
  test('the entry is shown and written, and a second call writes nothing', async () => {
    const first = await place.teams('init', '--host', host);
    expect(first).toMatchObject({ code: 0, out: '' });
    expect(first.err).toContain(`${join(place.root, file)} will get:\n`);
    const written = read(file);
    expect(first.err).toContain(written.trim());
    expect(written).toContain('"mcp"');
    const again = await place.teams('init', '--host', host);
    expect(again.err).toMatch(/already has a server "teams"; it is not changed\.\n$/);
    expect(read(file)).toBe(written);
  });

  test('with --print the entry is only printed', async () => {
    const { code, out } = await place.teams('init', '--host', host, '--print');
    expect(code).toBe(0);
    expect(existsSync(join(place.root, file))).toBe(false);
    await place.teams('init', '--host', host);
    expect(read(file)).toBe(out);
  });

  test('a file that is no configuration is refused in one sentence and unchanged', async () => {
    place.put(file, '<<<<<<< HEAD\n');
    const { code, err } = await place.teams('init', '--host', host);
    expect(code).toBe(2);
    expect(err).toMatch(/^teams: \S+ is not [^.]+, so it is left as it is; `teams init --host \w+ --print` [^.]+\.\n$/);
    expect(read(file)).toBe('<<<<<<< HEAD\n');
  });
});

test('the entry names what the host finds: not what `npx` and `npm run` put in front of PATH', async () => {
  const PATH = place.environment['PATH'] ?? '';
  for (const [folder, command] of [
    ['node_modules/.bin', process.execPath],
    ['bin', 'teams'],
  ] as const) {
    mkdirSync(join(place.root, folder), { recursive: true });
    symlinkSync(BIN, join(place.root, folder, 'teams'));
    const environment = { PATH: `${join(place.root, folder)}:${PATH}` };
    const { out } = await place.say(['init', '--host', 'claude', '--print'], { environment });
    expect(JSON.parse(out)).toMatchObject({ mcpServers: { teams: { command } } });
  }
});

test.each(['claude', 'opencode'] as const)(
  'a file for %s in a project that is a link, as a clone can bring it, is neither read nor written through',
  async (host) => {
    const own = place.put('home/other.json', '{"secret":"x"}');
    symlinkSync(own, join(place.root, FILES[host]));
    const { code, err } = await place.teams('init', '--host', host, '--yes');
    expect(code).toBe(2);
    expect(err).toMatch(/^teams: \S+ is a link, and is not followed; `teams init --host \w+ --print` [^.]+\.\n$/);
    expect(readFileSync(own, 'utf8')).toBe('{"secret":"x"}');
  },
);

describe('the entry', () => {
  const answer = z.object({ host: z.string(), file: z.string(), entry: z.string(), written: z.boolean() });

  test('the entry names `teams` if the shell finds exactly our program, otherwise the running Node and our file', async () => {
    const { entry } = await place.json(answer, 'init', '--host', 'claude');
    expect(JSON.parse(entry)).toMatchObject({
      mcpServers: { teams: { command: process.execPath, args: [BIN, 'mcp'] } },
    });
    const bin = place.put('bin/keep', '').replace(/\/keep$/, '');
    symlinkSync(BIN, join(bin, 'teams'));
    const PATH = `${bin}:${place.environment['PATH'] ?? ''}`;
    const { out } = await place.say(['init', '--host', 'claude', '--print'], { environment: { PATH } });
    expect(JSON.parse(out)).toMatchObject({ mcpServers: { teams: { command: 'teams', args: ['mcp'] } } });
  });

  test('the entry is written through a link into its target, whose mode stays, and no file is left beside it', async () => {
    const own = place.put('dotfiles/settings.json', '{"theme":"dark"}');
    chmodSync(own, 0o600);
    place.put('home/.gemini/keep', '');
    const link = join(place.root, FILES.gemini);
    symlinkSync(own, link);
    expect(await place.json(answer, 'init', '--host', 'gemini')).toMatchObject({ file: link, written: true });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(own).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(own, 'utf8'))).toMatchObject({ theme: 'dark', mcpServers: { teams: {} } });
    expect(readdirSync(join(place.root, 'dotfiles'))).toEqual(['settings.json']);
  });

  test('the entry is written below CODEX_HOME', async () => {
    const environment = { CODEX_HOME: join(place.root, 'codex') };
    await place.say(['init', '--host', 'codex'], { environment });
    expect(read('codex/config.toml')).toContain('[mcp_servers.teams]');
  });

  test('an unknown host is refused, and so is --print without a host', async () => {
    expect(await place.teams('init', '--host', 'cloude')).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /--host: Expected "host" to be one of claude, codex, gemini, opencode.*claude/,
      ) as string,
    });
    expect((await place.teams('init', '--print')).err).toMatch(/--print needs --host/);
  });
});
