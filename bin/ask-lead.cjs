'use strict';
/**
 * Asks a lead that works in the same root to do a verb that only looks (src/surfaces/cli/served-verbs/): a living process
 * has loaded what this one would have to load. Whatever is not as expected means that this process does the verb
 * itself; nothing is written before the whole answer is there.
 */
const { closeSync, fstatSync, lstatSync, openSync, readFileSync, readSync, readdirSync } = require('node:fs');
const { renameSync, statSync, unlinkSync, writeFileSync, writeSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');

const LOOKS = ['list', 'status', 'why', 'inbox', 'log'];
const TASK_LOOKS = ['list', 'get'];
/** Kinds of frames; 2 is stderr. */
const [STDOUT, EXIT] = [1, 3];
const HEADER_BYTES = 5;
const DECLINED = 255;
/** Milliseconds between two looks for an answer. */
const LOOK_MS = 1;
/** After so many looks for an answer, one whether the lead still runs. */
const LOOKS_A_LIFE = 50;
/** Seconds; a lead may have much to do. */
const ANSWER_S = 1;
/** More than a table of limits has, or the state of a process. */
const PROC_BYTES = 4_096;
/** What a verb may depend on. */
const SENT = /^(TEAMS_\w+|HOME|XDG_\w+|TZ|LANG|LANGUAGE|LC_\w+|TERM|COLUMNS|NO_COLOR|FORCE_COLOR)$/;

const isLook = ([verb, word]) => LOOKS.includes(verb) || (verb === 'task' && TASK_LOOKS.includes(word));

/** Colours, widths and questions are for the process that has the terminal. */
function isAtTerminal() {
  const nothing = statSync('/dev/null').rdev;
  return isDevice(1, nothing) || (isDevice(0, nothing) && isDevice(2, nothing));
}

/**
 * Whether a teammate started this process (src/runtime/process/starter.ts): without the token it speaks for nobody, which
 * only a process of its own can tell.
 */
function isMarked() {
  try {
    return !/^Max file locks +unlimited /m.test(textOf('/proc/self/limits'));
  } catch {
    return false; // No /proc, no marks.
  }
}

/** Not `readFileSync`, which takes twice as long for a file that tells no size. */
function textOf(path) {
  const file = openSync(path);
  try {
    const bytes = Buffer.allocUnsafe(PROC_BYTES);
    return bytes.latin1Slice(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

/** Not `isatty`, which loads more of Node; a device is a terminal, or is rare. */
function isDevice(descriptor, nothing) {
  const stat = fstatSync(descriptor);
  return stat.isCharacterDevice() && stat.rdev !== nothing;
}

/** @returns the exit code; undefined if no lead answered, and nothing is done */
function askLead(argv) {
  const { env, platform } = process;
  if (platform === 'win32' || !isLook(argv) || env.TEAMS_STORE) return undefined;
  try {
    const leads = leadsFor(argv, env);
    if (leads.length === 0 || isAtTerminal() || isMarked()) return undefined;
    const environment = Object.fromEntries(Object.entries(env).filter(([name]) => SENT.test(name)));
    const call = `${JSON.stringify({ argv, cwd: process.cwd(), build: build(), environment })}\n`;
    for (const lead of leads) {
      const frames = answer(lead, call);
      if (frames !== undefined) return print(frames);
    }
  } catch {
    // No state folder, no root, no working directory: the verb says what is wrong.
  }
  return undefined;
}

/** @returns the living leads in the root that these words seem to mean: the lead knows what they mean */
function leadsFor(argv, env) {
  const all = join(stateFolder(env), 'teams', 'leads');
  const { uid, mode } = lstatSync(all);
  if (uid !== process.getuid() || (mode & 0o077) !== 0) return [];
  const names = readdirSync(all);
  if (names.length === 0) return [];
  const { dev, ino } = lstatSync(join(rootFor(argv, env), '.teams'));
  return names
    .filter((name) => name.startsWith(`${dev}-${ino}-`))
    .map((name) => ({ folder: join(all, name), isRunning: () => isRunning(name) }))
    .filter((lead) => lead.isRunning());
}

/** Whether the process after which a folder is named can answer: it is the same one, and not stopped. */
function isRunning(name) {
  const [, , pid, startTime] = name.split('-');
  try {
    // A signal that only asks; it would also reach another process that has this number now.
    if (process.platform !== 'linux') return process.kill(Number(pid), 0);
    const stat = textOf(`/proc/${pid}/stat`);
    const [state, ...numbers] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return numbers[18] === startTime && !'TtZXx'.includes(state);
  } catch {
    return false; // It has ended.
  }
}

function stateFolder({ XDG_STATE_HOME: state, HOME: home }) {
  if (state?.startsWith('/')) return state;
  return join(home?.startsWith('/') ? home : require('node:os').userInfo().homedir, '.local', 'state');
}

function rootFor(argv, env) {
  const at = argv.findIndex((word) => word === '--root' || word.startsWith('--root='));
  const given = at < 0 ? env.TEAMS_ROOT : argv[at] === '--root' ? argv[at + 1] : argv[at].slice('--root='.length);
  if (given) return resolve(given);
  let folder = process.cwd();
  while (statSync(join(folder, '.teams'), { throwIfNoEntry: false }) === undefined && folder !== dirname(folder))
    folder = dirname(folder);
  return folder;
}

/** As `buildOf` of src/store/user/lead-exchange.ts. */
function build() {
  const { dev, ino, mtimeMs, size } = statSync(join(__dirname, '..', 'dist', 'frequent.cjs'));
  return `${process.version} ${dev} ${ino} ${mtimeMs} ${size}`;
}

/**
 * Not by a socket: to load what Node needs for one, and to connect, takes more than all else here.
 *
 * @returns the frames of a whole answer; undefined if the lead declined, has ended, or takes too long
 */
function answer({ folder, isRunning }, call) {
  const path = join(folder, `${process.pid}-${Date.now()}`);
  writeFileSync(`${path}.new`, call, { flag: 'wx', mode: 0o600 });
  renameSync(`${path}.new`, `${path}.ask`);
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  const latest = process.uptime() + ANSWER_S;
  for (let looks = 1; process.uptime() < latest; looks += 1) {
    Atomics.wait(nobody, 0, 0, LOOK_MS);
    if (statSync(`${path}.answer`, { throwIfNoEntry: false }) === undefined) {
      if (looks % LOOKS_A_LIFE === 0 && !isRunning()) break;
      continue;
    }
    const frames = framesIn(readFileSync(`${path}.answer`));
    unlinkSync(`${path}.answer`);
    const last = frames.at(-1);
    return last?.kind === EXIT && last.body[0] !== DECLINED ? frames : undefined;
  }
  try {
    unlinkSync(`${path}.ask`);
  } catch {
    // The lead has taken it, and removes what it answers.
  }
  return undefined;
}

function framesIn(bytes) {
  const frames = [];
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    const body = at + HEADER_BYTES;
    const end = body + bytes.readUInt32BE(at + 1);
    if (end <= bytes.length) frames.push({ kind: bytes.readUInt8(at), body: bytes.subarray(body, end) });
    at = end;
  }
  return frames;
}

/**
 * Writes what the lead wrote, in its order.
 * @returns the exit code; undefined if nothing could be written, so that the verb itself says why
 */
function print(frames) {
  let [isBegun, isSlow] = [false, false];
  const code = frames.pop().body[0];
  for (const { kind, body } of frames) {
    let rest = body;
    try {
      for (; rest.length > 0 && !isSlow; isBegun = true) rest = rest.subarray(writeSync(kind, rest));
    } catch (error) {
      if (error.code === 'EAGAIN') isSlow = true;
      else if (!isBegun) return undefined;
      else if (kind === STDOUT) return cutOff(error, code);
    }
    if (isSlow) streamOf(kind).write(rest);
  }
  // All is written: nothing is left to wait for, and the end of a process takes time.
  if (!isSlow) process.exit(code);
  return code;
}

/** As `OwnOutput.end` of src/surfaces/cli/io.ts, for a disk that fills up in the middle of an answer. */
function cutOff(error, code) {
  if (error.code === 'EPIPE') return code;
  const why = error.message.replace(/, write$/, '');
  console.error(
    `teams: The output could not be written (${why}); what the command did is kept. Write the output to another place.`,
  );
  return code === 0 ? 4 : code;
}

/** For a reader that is slow: its pipe takes no more at once. */
function streamOf(kind) {
  const stream = kind === STDOUT ? process.stdout : process.stderr;
  return stream.listenerCount('error') > 0 ? stream : stream.on('error', () => {});
}

module.exports = { askLead };
