#!/usr/bin/env node
'use strict';
/** The entry of the command line: load, run, set the exit code. Written so that every Node version can parse it and print what is wrong. */

/** The first words of the verbs that have a bundle of their own (src/surfaces/cli/frequent-main.ts). */
const FREQUENT = ['send', 'inbox', 'take', 'task', 'list', 'status', 'why', 'log'];

/** The first words of verbs that lead a team for as long as it works. */
const LEADING = ['run', 'resume', 'lead', 'pipeline'];

const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`teams needs Node 20.19 or newer; this is ${process.version}.`);
  process.exitCode = 2;
} else {
  void run();
}

/** @returns whether the version was asked for and is written; if stdout takes nothing, the command line says so */
function tellVersion([flag, ...more]) {
  if (!['--version', '-V', '-v'].includes(flag) || more.length > 0 || process.platform === 'win32') return false;
  try {
    require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
    return true;
  } catch {
    return false;
  }
}

async function run() {
  const argv = process.argv.slice(2);
  if (tellVersion(argv)) return;
  try {
    const asked = FREQUENT.includes(argv[0]) ? require('./ask-lead.cjs').askLead(argv) : undefined;
    if (asked !== undefined) return void (process.exitCode = asked);
    const { program, leads, optimizeLate } = require('./load.cjs');
    const code = FREQUENT.includes(argv[0]) ? await program('frequent', argv[0]).main(argv) : undefined;
    if (LEADING.includes(argv[0])) leads();
    // A relay works in short pieces, too.
    if (argv[0] === 'store' && argv[1] === 'relay') optimizeLate();
    process.exitCode = code ?? (await program('teams').main(argv));
  } catch (error) {
    if (error.code !== 'ENOENT' || !/[/]dist[/]\w+[.]cjs$/.test(error.path)) throw error;
    console.error('teams is not built: dist/ is missing or incomplete. Run `npm run build`.');
    process.exitCode = 2;
  }
}
