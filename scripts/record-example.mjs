/**
 * node scripts/record-example.mjs [DIRECTORY] — runs .teams-example/hello.yaml in a temporary directory and keeps its
 * folders in .teams-example/recorded/ (or DIRECTORY), with the details of this machine replaced. Needs `npm run build`.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const target = process.argv[2] ?? join(ROOT, '.teams-example', 'recorded');
const work = mkdtempSync(join(tmpdir(), 'teams-example-'));

const filesUnder = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

/** Replaces the details of this machine by fixed values. */
const scrub = (text) =>
  text
    .replaceAll(work, '/home/you/project')
    .replaceAll(join(ROOT, '.teams-example'), '/home/you/project/plans')
    .replaceAll(ROOT.replace(/\/$/, ''), '/usr/lib/node_modules/teams-runtime')
    .replaceAll(hostname(), 'your-host')
    .replaceAll(/"bootId": ?"[^"]*"/g, '"bootId": "00000000-0000-0000-0000-000000000000"')
    .replaceAll(/"pidNamespace": ?"[^"]*"/g, '"pidNamespace": "pid:[0]"')
    .replaceAll(/"(seal|tokenHash)": ?"[0-9a-f]{64}"/g, (_, key) => `"${key}": "${'0'.repeat(64)}"`);

try {
  const env = { PATH: process.env.PATH, HOME: work, XDG_STATE_HOME: join(work, 'state'), NO_COLOR: '1' };
  execFileSync(
    process.execPath,
    [join(ROOT, 'bin/teams.js'), 'run', join(ROOT, '.teams-example/hello.yaml'), '--root', work],
    {
      cwd: work,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  rmSync(target, { recursive: true, force: true });
  // Without the leading dots, so that the recording does not look like teams of this repository.
  cpSync(join(work, '.teams', 'hello'), join(target, 'teams', 'hello'), { recursive: true });
  cpSync(join(work, '.tasks', 'hello'), join(target, 'tasks', 'hello'), { recursive: true });
  for (const path of filesUnder(target)) {
    // A segment that was used is read-only; git does not keep that.
    chmodSync(path, 0o600);
    writeFileSync(path, scrub(readFileSync(path, 'utf8')));
  }
  for (const path of filesUnder(target)) if (/\.tokens/.test(path)) rmSync(path);
  // A segment's name contains the time of its take; the recording uses one fixed name.
  for (const path of filesUnder(target))
    renameSync(path, path.replace(/taken\.(\d+)-[0-9A-Z]{26}/, 'taken.$1-01EXAMPLE0000000000000000'));
  process.stdout.write(`${target}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
