'use strict';
/**
 * Asks a lead for the answer to a verb that only looks with what the rules ask of it (docs/decisions/147-a-lead-answers-verbs.md) and nothing
 * else: it is not at a terminal and not marked, the folder of sockets is the user's own, and the lead is told what its
 * answer depends on. One socket, one answer, no error, no other root.
 *
 *     node ask-lead.cjs ROOT FREQUENT_BUNDLE VERB…
 */
const { closeSync, fstatSync, lstatSync, openSync, readSync, readdirSync, statSync, writeSync } = require('node:fs');
const { createConnection } = require('node:net');
const { join } = require('node:path');

const [root, bundle, ...words] = process.argv.slice(2);
const HEADER_BYTES = 5;
const [STDOUT, EXIT] = [1, 3];
const SENT = /^(TEAMS_\w+|HOME|XDG_\w+|TZ|LANG|LANGUAGE|LC_\w+|TERM|COLUMNS|NO_COLOR|FORCE_COLOR)$/;

const isDevice = (descriptor) => {
  const stat = fstatSync(descriptor);
  return stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null').rdev;
};

const limits = openSync('/proc/self/limits');
const bytes = Buffer.allocUnsafe(4_096);
const isMarked = !/^Max file locks +unlimited /m.test(bytes.latin1Slice(0, readSync(limits, bytes)));
closeSync(limits);

const home = process.env.HOME ?? require('node:os').userInfo().homedir;
const folder = join(home, '.local', 'state', 'teams', 'leads');
const { uid, mode } = lstatSync(folder);
const { dev, ino } = lstatSync(join(root, '.teams'));
const name = readdirSync(folder).find((one) => one.startsWith(`${dev}-${ino}-`));
if (isMarked || isDevice(1) || uid !== process.getuid() || (mode & 0o077) !== 0 || name === undefined) process.exit(1);

const of = statSync(bundle);
const call = {
  argv: [...words, '--root', root],
  cwd: process.cwd(),
  build: `${process.version} ${of.dev} ${of.ino} ${of.mtimeMs} ${of.size}`,
  environment: Object.fromEntries(Object.entries(process.env).filter(([variable]) => SENT.test(variable))),
};
const socket = createConnection({ path: join(folder, name), allowHalfOpen: true });
let answer = Buffer.alloc(0);
socket.on('data', (chunk) => {
  answer = answer.length === 0 ? chunk : Buffer.concat([answer, chunk]);
  for (let end; answer.length >= HEADER_BYTES; answer = answer.subarray(end)) {
    end = HEADER_BYTES + answer.readUInt32BE(1);
    if (answer.length < end) return;
    if (answer[0] !== STDOUT) process.exit(answer[0] === EXIT ? answer[HEADER_BYTES] : 1);
    writeSync(1, answer.subarray(HEADER_BYTES, end));
  }
});
socket.end(`${JSON.stringify(call)}\n`);
