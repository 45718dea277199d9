/**
 * Runs this program anew in a place where every process has clocks that run faster: libfaketime (Debian's package of that
 * name) is loaded into each, as an `/etc` of the place says, which bubblewrap puts over the real one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from './installed.mjs';

const LIBRARIES = '/usr/lib';
const MARK = 'BENCH_FAST_CLOCKS';

export const hasFastClocks = () => process.env[MARK] !== undefined;

function libraryOf() {
  for (const folder of readdirSync(LIBRARIES))
    try {
      if (readdirSync(join(LIBRARIES, folder, 'faketime')).includes('libfaketime.so.1'))
        return join(LIBRARIES, folder, 'faketime', 'libfaketime.so.1');
    } catch {
      // Not a folder of an architecture, or without the package.
    }
  return undefined;
}

/**
 * @param {number} times how many seconds pass in one
 * @returns {Promise<number>} its exit code; 2 if the machine has no libfaketime or no bubblewrap
 */
export async function withFastClocks(times) {
  const library = libraryOf();
  if (library === undefined || !isInstalled('bwrap')) {
    console.error('Fast clocks need libfaketime and bubblewrap: apt-get install libfaketime bubblewrap.');
    return 2;
  }
  const etc = mkdtempSync(join(tmpdir(), 'teams-fast-clocks-'));
  try {
    cpSync('/etc', etc, { recursive: true, verbatimSymlinks: true, filter: isReadable });
    writeFileSync(join(etc, 'ld.so.preload'), `${library}\n`);
    writeFileSync(join(etc, 'faketimerc'), `+0 x${times}\n`);
    const place = ['--dev-bind', '/', '/', '--bind', etc, '/etc', '--die-with-parent'];
    const argv = [...place, '--setenv', MARK, String(times), process.execPath, ...process.argv.slice(1)];
    const [code] = await once(spawn('bwrap', argv, { stdio: 'inherit' }), 'exit');
    return code ?? 1;
  } finally {
    rmSync(etc, { recursive: true, force: true });
  }
}

/** Keys and passwords of the machine are not needed there. */
const isReadable = (path) => !/^\/etc\/(?:ssl\/private|shadow|gshadow|sudoers)/.test(path);
