/**
 * Directories of the user that are none: HOME, the XDG directories and TMPDIR lead to /proc, a device, a file, a pipe, a
 * link that leads nowhere, a directory of another user. No verb hangs, and what it cannot do is one sentence.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { BIN, Workplace } from '../support/cli.ts';

const VARIABLES = ['HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'TMPDIR'];
const PLACES = ['/proc', '/dev/null', 'file', 'pipe', 'dangling', 'loop', 'read-only'];
const VERBS = [['list'], ['create', 'duo', '--member', 'ada'], ['run', 'plan.json', '--fresh'], ['doctor']];
const MOST_MS = 30_000;

function odd(place: Workplace, kind: string): string {
  if (kind.startsWith('/')) return kind;
  const path = join(place.root, kind);
  if (kind === 'file') writeFileSync(path, '');
  else if (kind === 'pipe') execFileSync('mkfifo', [path]);
  else if (kind === 'read-only') mkdirSync(path, { mode: 0o500 });
  else symlinkSync(kind === 'loop' ? path : join(place.root, 'nowhere/at-all'), path);
  return path;
}

async function said(place: Workplace, env: Record<string, string>, argv: readonly string[]) {
  const child = spawn(process.execPath, [BIN, ...argv], {
    cwd: join(place.root, 'project'),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MOST_MS,
    killSignal: 'SIGKILL',
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, out, err };
}

describe.each(VARIABLES)('%s', (variable) => {
  it.each(PLACES)('that is %s: no verb hangs or prints a trace', { timeout: 120_000 }, async (kind) => {
    const place = new Workplace();
    place.put(
      'project/plan.json',
      JSON.stringify({
        name: 'trio',
        members: [{ name: 'ada', agent: { kind: 'exec' } }],
        tasks: [{ subject: 'A', run: 'true' }],
      }),
    );
    const { XDG_STATE_HOME: _, XDG_CONFIG_HOME: __, ...bare } = place.environment;
    const env = { ...(variable === 'HOME' ? bare : place.environment), [variable]: odd(place, kind) };
    for (const verb of VERBS) {
      const { code, out, err } = await said(place, env, verb);
      const what = `teams ${verb.join(' ')}: ${String(code)} ${out}${err}`;
      expect(code, what).not.toBeNull();
      expect(`${out}${err}`, what).not.toMatch(/\n {4}at |bug in teams/);
      // 70 is an error that nobody thought of.
      expect(code, what).not.toBe(70);
      if (code !== 0 && verb[0] !== 'doctor') expect(err.trim().split('\n').at(-1), what).toMatch(/^teams: .*[.!)]$/);
    }
  });
});
