/**
 * node scripts/newer-programs.mjs [NAME…] — the newest versions of the programs that the tests pin, and what changed in
 * how they are spoken to: options in the help of the commands that we start, what an ACP program says of itself, the
 * methods of Codex's app server. Exit 1 if a pin is old or a program could not be tried; each such is named.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'teams-hosts');
const MINUTE_MS = 60_000;

/** The pins, where the tests have them. */
export function pinsIn(text) {
  return [...text.matchAll(/pinned: '((?:@[^@']+\/)?[^@']+)@([^']+)',\s*bin: '([^']+)'/g)].map(
    ([, name, version, bin]) => ({
      name,
      version,
      bin,
    }),
  );
}

/** Lines that only one of them has. */
export function difference(before, after) {
  const [old, now] = [new Set(before), new Set(after)];
  return { gone: [...old].filter((line) => !now.has(line)), came: [...now].filter((line) => !old.has(line)) };
}

/** The options and commands of a help text, without their descriptions. */
export const optionsIn = (help) =>
  [...new Set([...help.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map(([option]) => option))].sort();

/** Every key and plain value of an answer, as a path. */
export function pathsIn(value, at = '') {
  if (typeof value !== 'object' || value === null) return [`${at} = ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([key, one]) => pathsIn(one, Array.isArray(value) ? `${at}[]` : `${at}.${key}`));
}

function program({ name, version, bin }) {
  const home = join(CACHE, `${name}@${version}`.replaceAll('/', '+'));
  const path = join(home, 'node_modules', '.bin', bin);
  if (!existsSync(path)) {
    console.error(`Installing ${name}@${version} …`);
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', home, `${name}@${version}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
  return path;
}

/** A program without a login, in a home of its own. */
const alone = (home) => ({ cwd: home, env: { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' }, timeout: MINUTE_MS });

const help = (path, home, ...argv) =>
  optionsIn(
    execFileSync(path, [...argv, '--help'], { ...alone(home), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );

/** What it answers to `initialize`. */
async function acpAnswer(path, home, ...argv) {
  const { cwd, env } = alone(home);
  const child = spawn(path, argv, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const late = setTimeout(() => child.kill('SIGKILL'), MINUTE_MS);
  const params = { protocolVersion: 1, clientInfo: { name: 'teams', version: '1' }, clientCapabilities: {} };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { result } = line.startsWith('{') ? JSON.parse(line) : {};
      if (result !== undefined) return pathsIn(result).filter((one) => !/\.version = /.test(one));
    }
    throw new Error('It gave no answer to "initialize".');
  } finally {
    clearTimeout(late);
    child.kill('SIGKILL');
  }
}

/** The names of the messages of Codex's app server. */
function appServer(path, home) {
  const folder = join(home, 'schemas');
  execFileSync(path, ['app-server', 'generate-json-schema', '--out', folder], { ...alone(home), stdio: 'ignore' });
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => [
      file,
      ...[...readFileSync(join(folder, file), 'utf8').matchAll(/"enum": \[\s*"([a-zA-Z]+\/[\w/]+)"/g)].map(
        ([, method]) => method,
      ),
    ]);
}

/** How each program is spoken to. */
const SPOKEN = {
  claude: (path, home) => help(path, home),
  codex: (path, home) => [...help(path, home, 'app-server'), ...appServer(path, home)],
  gemini: async (path, home) => [...help(path, home), ...(await acpAnswer(path, home, '--acp', '--skip-trust'))],
  opencode: async (path, home) => [...help(path, home, 'acp'), ...(await acpAnswer(path, home, 'acp'))],
};

async function spoken(pin) {
  const home = mkdtempSync(join(tmpdir(), 'teams-newer-'));
  try {
    return await SPOKEN[pin.bin](program(pin), home);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const newestOf = (name) =>
  execFileSync('npm', ['view', name, 'version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** @returns whether the pin is the newest version, and could be tried */
async function compare(pin) {
  const newest = newestOf(pin.name);
  const before = await spoken(pin);
  if (newest === pin.version) {
    console.log(`${pin.name}: ${newest} is the newest version (${before.length} facts of its protocol could be read).`);
    return true;
  }
  const { gone, came } = difference(before, await spoken({ ...pin, version: newest }));
  const same = gone.length + came.length === 0 ? ', and is spoken to as before' : '';
  console.log(`${pin.name}: ${pin.version} is pinned, ${newest} is the newest${same}.`);
  for (const line of gone) console.log(`  - ${line}`);
  for (const line of came) console.log(`  + ${line}`);
  return false;
}

async function main(names) {
  const pins = pinsIn(readFileSync(join(ROOT, 'test/hosts/programs.ts'), 'utf8'));
  for (const pin of pins.filter(({ bin }) => names.length === 0 || names.includes(bin))) {
    try {
      if (!(await compare(pin))) process.exitCode = 1;
    } catch (error) {
      process.exitCode = 1;
      console.log(
        `${pin.name}: COULD NOT BE TRIED: ${String(error.stderr ?? error.message ?? error)
          .trim()
          .slice(0, 500)}`,
      );
    }
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await main(process.argv.slice(2));
