#!/usr/bin/env node
/** The command line's door: import, run, exit code. Written so that any Node can parse it and be told what is wrong. */
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`teams needs Node 20.19 or newer; this is ${process.version}.`);
  process.exitCode = 2;
} else {
  const { main } = await import('../dist/cli/main.js').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.url?.includes('/dist/')) throw error;
    console.error('teams is not built: dist/ is missing or incomplete. Run `npm run build`.');
    process.exit(2);
  });
  process.exitCode = await main(process.argv.slice(2));
}
