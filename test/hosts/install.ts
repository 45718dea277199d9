/**
 * The real programs, by exact version, from the registry into the user's cache: once, and outside of this repository.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';

const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'teams-hosts');

/**
 * @param pinned `name@version`; without a pin npm may take an older release
 * @param bin the name of its program
 * @returns the path of the program
 */
export async function installed(pinned: string, bin: string): Promise<string> {
  const home = join(CACHE, pinned.replaceAll('/', '+'));
  const program = join(home, 'node_modules', '.bin', bin);
  if (existsSync(program)) return program;
  // An interrupted installation must not look complete.
  const fresh = `${home}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  const npm = spawn('npm', ['install', '--no-audit', '--no-fund', '--prefix', fresh, pinned], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said] = await Promise.all([text(npm.stderr), once(npm, 'exit')]);
  if (npm.exitCode !== 0) throw new Error(`npm install ${pinned}: ${said.slice(-2_000)}`);
  rmSync(home, { recursive: true, force: true });
  renameSync(fresh, home);
  return program;
}
