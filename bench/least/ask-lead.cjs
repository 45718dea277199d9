'use strict';
/**
 * Asks a lead for the answer to a verb that only looks with what the rules ask of it (docs/decisions/147-a-lead-answers-verbs.md) and nothing
 * else: it is not at a terminal and not marked, the folder of leads is the user's own, the lead is the process
 * that it says, and is told what its answer depends on. One lead, one answer, no error, no other root.
 *
 *     node ask-lead.cjs ROOT FREQUENT_BUNDLE VERB…
 */
const { closeSync, fstatSync, lstatSync, openSync, readFileSync, readSync, readdirSync } = require('node:fs');
const { renameSync, statSync, unlinkSync, writeFileSync, writeSync } = require('node:fs');
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
const [, , pid, startTime] = name.split('-');
const state = openSync(`/proc/${pid}/stat`);
const stat = bytes.latin1Slice(0, readSync(state, bytes));
closeSync(state);
const isLead = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] === startTime;

if (!isLead || isMarked || isDevice(1) || uid !== process.getuid() || (mode & 0o077) !== 0 || name === undefined)
  process.exit(1);

const of = statSync(bundle);
const call = {
  argv: [...words, '--root', root],
  cwd: process.cwd(),
  build: `${process.version} ${of.dev} ${of.ino} ${of.mtimeMs} ${of.size}`,
  environment: Object.fromEntries(Object.entries(process.env).filter(([variable]) => SENT.test(variable))),
};
const path = join(folder, name, `${process.pid}-${Date.now()}`);
writeFileSync(`${path}.new`, `${JSON.stringify(call)}\n`, { flag: 'wx', mode: 0o600 });
renameSync(`${path}.new`, `${path}.ask`);
const nobody = new Int32Array(new SharedArrayBuffer(4));
while (statSync(`${path}.answer`, { throwIfNoEntry: false }) === undefined) Atomics.wait(nobody, 0, 0, 1);
const answer = readFileSync(`${path}.answer`);
unlinkSync(`${path}.answer`);
for (let at = 0, end; ; at = end) {
  end = at + HEADER_BYTES + answer.readUInt32BE(at + 1);
  if (answer[at] !== STDOUT) process.exit(answer[at] === EXIT ? answer[at + HEADER_BYTES] : 1);
  writeSync(1, answer.subarray(at + HEADER_BYTES, end));
}
