/**
 * The start of a teammate with what the rules ask and nothing else: Node's modules that a member cannot do without (files,
 * hashes and ids, child processes, its parent's pipe), its configuration, the fold of the log, the lease, `member.started` with its flush, its process
 * record, and the bells. No code of ours is loaded; nothing is checked, sealed or judged.
 *
 *     node teammate.cjs ROOT TEAM NAME
 */
'use strict';
require('node:child_process');
const { createHash, randomBytes } = require('node:crypto');
const fs = require('node:fs');
const { join } = require('node:path');

const [root, team, name] = process.argv.slice(2);
const folder = join(root, '.teams', team);
const log = join(root, '.tasks', team, 'log.jsonl');
const own = (...path) => join(folder, ...path);
const exclusive = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_NOFOLLOW;

process.stdin.on('end', () => process.exit()).resume();
process.on('SIGTERM', end);

const pinned = fs.openSync(folder, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
const identity = {
  pid: process.pid,
  startTime: fs.readFileSync('/proc/self/stat', 'latin1').split(' ')[21],
  bootId: fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(),
  pidNamespace: fs.readlinkSync('/proc/self/ns/pid'),
};
JSON.parse(fs.readFileSync(own('config.json'), 'utf8'));

const read = fs.openSync(log, 'r');
let at = 0;
/** Every process folds what the others wrote. */
function fold() {
  const { size } = fs.fstatSync(read);
  const bytes = Buffer.allocUnsafe(size - at);
  fs.readSync(read, bytes, 0, size - at, at);
  at = size;
  for (const line of bytes.latin1Slice().split('\n')) if (line !== '') JSON.parse(line);
}
fold();

function create(path, text) {
  const file = fs.openSync(path, exclusive, 0o600);
  fs.writeSync(file, text);
  fs.closeSync(file);
}

function replace(path, value) {
  const fresh = `${path}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  create(fresh, JSON.stringify(value));
  fs.renameSync(fresh, path);
}

const token = own('.tokens', `least-${process.pid}`);
create(token, JSON.stringify({ ...identity, nonce: randomBytes(8).toString('hex') }));

function locked(path, work) {
  fs.linkSync(token, path);
  work();
  fs.unlinkSync(path);
}

const [lease, owner] = [own(`${name}.lock`), own('processes', `${name}.lease.json`)];
locked(own('processes', `${name}.lease.lock`), () => {
  fs.mkdirSync(lease, 0o700);
  fs.utimesSync(lease, new Date(), new Date());
  replace(owner, { ...identity, since: Date.now() });
});

const append = fs.openSync(log, fs.constants.O_WRONLY | fs.constants.O_APPEND);
const id = randomBytes(10).toString('hex');
fs.writeSync(append, `\n${JSON.stringify({ id, v: 0, author: { by: name }, type: 'member.started' })}\n`);
fs.fdatasyncSync(append);
fold();

const tokenHash = createHash('sha256').update(token).digest('hex');
replace(own('processes', `${name}.json`), { version: 1, name, phase: 'running', ...identity, tokenHash });

const bell = fs.openSync(own('lead_inbox.bell'), 'r+');
fs.writeSync(bell, '!', 0);
fs.closeSync(bell);
fs.watch(own(`${name}_inbox.bell`), () => {});
locked(own(`${name}_inbox.lock`), () => fs.readdirSync(folder));
fs.lstatSync(own(`${name}_inbox.jsonl`), { throwIfNoEntry: false });
setInterval(() => fs.utimesSync(lease, new Date(), new Date()), 5_000);

function end() {
  fs.rmdirSync(lease);
  for (const path of [owner, token]) fs.unlinkSync(path);
  fs.closeSync(pinned);
  process.exit();
}
