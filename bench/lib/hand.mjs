/**
 * One process of a crew: `hand.mjs MODULE JOB OPTIONS`. The job prepares itself and returns its work function. That
 * function runs once for each line of JSON on stdin, and may read and print more meanwhile.
 */
import { createInterface } from 'node:readline';

const [module, name, options] = process.argv.slice(2);
const said = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const told = async () => (await said.next()).value;
const say = (what) => new Promise((resolve) => process.stdout.write(`${JSON.stringify(what)}\n`, resolve));

const { [name]: prepare } = await import(new URL(`../${module}`, import.meta.url).href);
const work = await prepare(JSON.parse(options));
await say('ready');
for (let line = await told(); line !== undefined; line = await told())
  await say((await work(JSON.parse(line), { told, say })) ?? {});
