#!/usr/bin/env node
'use strict';
/** The command line's door: load, run, exit code. Written so that any Node can parse it and be told what is wrong. */
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`teams needs Node 20.19 or newer; this is ${process.version}.`);
  process.exitCode = 2;
} else {
  void run();
}

async function run() {
  try {
    process.exitCode = await require('./load.cjs').program('teams').main(process.argv.slice(2));
  } catch (error) {
    if (error.code !== 'ENOENT' || !/[/]dist[/]\w+[.]cjs$/.test(error.path)) throw error;
    console.error('teams is not built: dist/ is missing or incomplete. Run `npm run build`.');
    process.exitCode = 2;
  }
}
