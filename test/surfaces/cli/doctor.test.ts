/** `teams doctor`: what it finds, and what it repairs on request. */
import { chmodSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Workplace } from '../../support/cli.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { tempDir } from '../../support/temp.ts';

const schema = z.object({
  schemaVersion: z.literal(2),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      ok: z.boolean(),
      found: z.string(),
      cure: z.string(),
      absent: z.literal(true).optional(),
    }),
  ),
});

async function examine(place: Workplace, ...argv: string[]) {
  const { code, out } = await place.teams('doctor', ...argv, '--json');
  const { checks } = schema.parse(JSON.parse(out));
  return { code, checks, of: (name: string) => checks.find((check) => check.name === name) };
}

describe('doctor', () => {
  it('doctor finds no fault in a healthy workplace', async () => {
    const place = new Workplace();
    await place.teams('create', 'login');
    const { code, checks } = await examine(place);
    expect(checks.map(({ name }) => name)).toEqual([
      'shell commands',
      'mcp server',
      'node',
      'file system',
      'prlimit',
      'git',
      'bwrap',
      'isolation of programs',
      'isolation of commands',
      'processes',
      'watchers',
      'key',
      'configuration',
      'login: seal',
      'login: locks',
      'login: processes',
      ...['claude', 'codex', 'gemini', 'opencode', 'anthropic', 'openai', 'google', 'ollama'].map(
        (kind) => `agent ${kind}`,
      ),
    ]);
    expect(checks.filter(({ ok, absent }) => !ok && absent !== true)).toEqual([]);
    expect(checks.filter(({ cure }) => cure !== '')).toEqual([]);
    expect(code).toBe(0);
  });

  it('doctor reports programs that are not on PATH, with a cure each', async () => {
    const { code, of } = await examine(new Workplace({ PATH: '/nowhere' }));
    expect(code).toBe(1);
    expect(of('git')).toMatchObject({ ok: false, found: 'not on PATH' });
    expect(of('prlimit')?.cure).toContain('util-linux');
    expect(of('bwrap')?.cure).toContain('bubblewrap');
  });

  it('doctor tries the isolation, and reports one that does not hold', async () => {
    const place = new Workplace();
    place.put('bin/bwrap', '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n');
    chmodSync(join(place.root, 'bin/bwrap'), 0o755);
    place.environment['PATH'] = `${join(place.root, 'bin')}:${place.environment['PATH'] ?? ''}`;
    const { code, of } = await examine(place);
    expect(code).toBe(1);
    for (const what of ['programs', 'commands'])
      expect(of(`isolation of ${what}`)).toMatchObject({
        ok: false,
        found: expect.stringMatching(/^it /) as string,
        cure: expect.stringContaining('user namespaces') as string,
      });
  });

  it('doctor shows the version, the path and the login of each program', async () => {
    const place = new Workplace();
    // Programs of the project are not asked, and all below the workplace is one.
    const bin = tempDir();
    for (const name of ['claude', 'codex', 'gemini'])
      writeFileSync(join(bin, name), `#!/bin/sh\n[ "$1" = --version ] || exit 9\necho ${name} 1.2.3\n`, {
        mode: 0o755,
      });
    place.put('home/.claude/.credentials.json', '{}');
    writeFileSync(join(bin, 'opencode'), '#!/bin/sh\necho broken >&2\nexit 3\n', { mode: 0o755 });
    place.environment['PATH'] = `${bin}:${place.environment['PATH'] ?? ''}`;
    place.environment['GEMINI_API_KEY'] = 'a-canary-key';
    const { code, of, checks } = await examine(place);
    expect(code).toBe(1);
    expect(of('agent claude')).toMatchObject({ ok: true, found: expect.stringContaining('claude 1.2.3') as string });
    expect(of('agent claude')?.found).toContain(join(place.root, 'home/.claude/.credentials.json'));
    expect(of('agent codex')).toMatchObject({ ok: false, cure: 'run `codex login` once, or set OPENAI_API_KEY' });
    expect(of('agent gemini')?.found).toContain('key in GEMINI_API_KEY');
    expect(of('agent opencode')).toMatchObject({ ok: false, cure: 'install it again: npm install -g opencode-ai' });
    expect(of('mcp server')?.found).toMatch(/^shakes hands, \d+ tools$/);
    expect(JSON.stringify(checks)).not.toContain('a-canary-key');
  });

  it('doctor prints the cures below the table', async () => {
    const { code, out } = await new Workplace({ PATH: '/nowhere' }).teams('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/^NOT OK {2}git /m);
    expect(out).toMatch(/^- +agent claude +not installed \(npm install -g /m);
    expect(out).toMatch(/\nCures\n(?: {2}.+\n)+$/);
  });

  it('doctor names a damaged key and the error of a configuration', async () => {
    const place = new Workplace();
    place.put('home/state/teams/key', 'not a key');
    place.put('.teams/config.yaml', 'watchdogReassignMs: 1\n');
    const { of } = await examine(place);
    expect(of('key')).toMatchObject({ ok: false });
    expect(of('configuration')?.found).toContain('watchdogReassignMs');
  });

  it('doctor breaks locks without a running holder, and no other', async () => {
    allowLeft(/ada_inbox\.lock$/);
    const place = new Workplace();
    await place.teams('create', 'login', '--member', 'ada', '--member', 'bob', '--member', 'cy');
    const lock = (name: string): string => join(place.root, '.teams', 'login', `${name}_inbox.lock`);
    writeFileSync(lock('ada'), '');
    writeFileSync(lock('bob'), '');
    utimesSync(lock('bob'), 1, 1);
    mkdirSync(lock('cy'));
    const found = await examine(place);
    expect(found.code).toBe(1);
    expect(found.of('login: locks')?.found).toMatch(/bob_inbox\.lock.*cy_inbox\.lock/);
    expect(found.of('login: locks')?.found).not.toContain('ada_inbox');
    expect(found.of('login: locks')?.cure).toBe('teams doctor --break-lock');
    expect((await examine(place, '--break-lock')).code).toBe(0);
    expect([lock('ada'), lock('bob'), lock('cy')].map(existsSync)).toEqual([true, false, false]);
    expect((await examine(place)).of('login: locks')?.found).toBe('none left over');
  });

  it('doctor reports a foreign folder, and makes it ours when it is trusted', async () => {
    const place = new Workplace();
    await place.teams('create', 'login');
    writeFileSync(join(place.root, 'home/state/teams/key'), 'e'.repeat(64));
    const { of } = await examine(place);
    expect(of('login: seal')).toMatchObject({ ok: false, found: 'not made by you on this machine' });
    expect(of('login: seal')?.cure).toContain('teams doctor --trust login');
    expect((await examine(place, '--trust', 'login')).of('login: seal')).toMatchObject({ ok: true });
    expect((await place.teams('doctor', '--trust', 'nobody')).code).toBe(4);
  });
});
