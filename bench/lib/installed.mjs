/** What is there to measure against: programs on PATH, and packages of the bench. */
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

/** The path of a program on PATH; undefined if it is not installed. */
export const whereIs = (program) =>
  process.env.PATH.split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false; // Not here.
      }
    });

export const isInstalled = (program) => whereIs(program) !== undefined;

const require = createRequire(import.meta.url);
const NEEDS = [
  [/sqlite/, 'better-sqlite3'],
  [/bullmq/, 'bullmq'],
  [/redis/, 'ioredis'],
  [/jetstream/, '@nats-io/jetstream'],
];

const said = new Set();

/** A yardstick may need a package whose native part could not be installed; what is missing is said once. */
export function hasYardstick(kind) {
  const [, name] = NEEDS.find(([pattern]) => pattern.test(kind)) ?? [];
  if (name === undefined) return true;
  try {
    require(name);
    return true;
  } catch {
    if (!said.has(name)) console.error(`  SKIPPED: ${name} does not load (npm ci --prefix bench)`);
    said.add(name);
    return false;
  }
}
