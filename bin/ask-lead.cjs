'use strict';
/**
 * Asks a lead that works in the same root to do a verb that only looks (src/surfaces/cli/served-verbs/): a living process
 * has loaded what this one would have to load. Whatever is not as expected means that this process does the verb
 * itself; nothing is written before the whole answer is there.
 */
const { closeSync, fstatSync, lstatSync, openSync, readSync, readdirSync, statSync, writeSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');

const LOOKS = ['list', 'status', 'why', 'inbox', 'log'];
const TASK_LOOKS = ['list', 'get'];
/** Kinds of frames; 2 is stderr. */
const [STDOUT, EXIT] = [1, 3];
const HEADER_BYTES = 5;
/** A header, and the exit code. */
const EXIT_BYTES = HEADER_BYTES + 1;
const DECLINED = 255;
/** A lead that is stopped, or has much to do. */
const ANSWER_MS = 1_000;
const READ_BYTES = 64 * 1024;
/** More than the table of limits has. */
const LIMITS_BYTES = 4_096;
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
    const bytes = Buffer.allocUnsafe(LIMITS_BYTES);
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
async function askLead(argv) {
  const { env, platform } = process;
  if (platform === 'win32' || !isLook(argv) || env.TEAMS_STORE) return undefined;
  try {
    const sockets = socketsFor(argv, env);
    if (sockets.length === 0 || isAtTerminal() || isMarked()) return undefined;
    const environment = Object.fromEntries(Object.entries(env).filter(([name]) => SENT.test(name)));
    const call = `${JSON.stringify({ argv, cwd: process.cwd(), build: build(), environment })}\n`;
    for (const socket of sockets) {
      const frames = await answer(socket, call);
      if (frames !== undefined) return print(frames);
    }
  } catch {
    // No state folder, no root, no working directory: the verb says what is wrong.
  }
  return undefined;
}

/** @returns the sockets of leads in the root that these words seem to mean: the lead knows what they mean */
function socketsFor(argv, env) {
  const folder = join(stateFolder(env), 'teams', 'leads');
  const { uid, mode } = lstatSync(folder);
  if (uid !== process.getuid() || (mode & 0o077) !== 0) return [];
  const names = readdirSync(folder);
  if (names.length === 0) return [];
  const { dev, ino } = lstatSync(join(rootFor(argv, env), '.teams'));
  return names.filter((name) => name.startsWith(`${dev}-${ino}-`)).map((name) => join(folder, name));
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

/** As `buildOf` of src/store/user/lead-socket.ts. */
function build() {
  const { dev, ino, mtimeMs, size } = statSync(join(__dirname, '..', 'dist', 'frequent.cjs'));
  return `${process.version} ${dev} ${ino} ${mtimeMs} ${size}`;
}

/** @returns the frames of a whole answer; undefined if the lead declined, or takes too long */
function answer(path, call) {
  return new Promise((resolve) => {
    const chunks = [];
    // Not `data` events: a stream that is read costs a tenth of what this process adds to an empty one.
    const onread = {
      buffer: Buffer.allocUnsafe(READ_BYTES),
      callback(size, buffer) {
        const chunk = Buffer.from(buffer.subarray(0, size));
        chunks.push(chunk);
        // It seems to be the exit: then nothing follows, and the end of the connection need not be waited for.
        if (chunk.at(-EXIT_BYTES) === EXIT && chunk.at(-2) === 1) end();
        return true;
      },
    };
    const socket = require('node:net').createConnection({ path, allowHalfOpen: true, onread });
    const end = () => {
      clearTimeout(late);
      const frames = framesIn(Buffer.concat(chunks));
      const last = frames.at(-1);
      const isWhole = last?.kind === EXIT && last.body[0] !== DECLINED;
      resolve(isWhole ? frames : undefined);
      // To close it takes time, and the end of this process does it.
      if (isWhole) socket.unref();
      else socket.destroy();
    };
    const late = setTimeout(end, ANSWER_MS);
    for (const event of ['error', 'end', 'close']) socket.once(event, end);
    socket.end(call);
  });
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
