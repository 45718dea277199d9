/** Machines of teams in a store, for the bench: roots with a relay each, and the verbs of a person there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from './build.mjs';

const TEAMS = join(ROOT, 'bin', 'teams.js');
const ENDS_MS = 20_000;
const LOOK_MS = 10;

/** Two machines, `a` and `b`, with a store of their own, for as long as `work` takes. */
export class Machines {
  #count = 0;
  #dir;
  #makeStore;

  /** @param makeStore makes a database of this name, and resolves with its URL */
  constructor(dir, makeStore) {
    [this.#dir, this.#makeStore] = [dir, makeStore];
  }

  /**
   * @param isShared whether there is a store; without one there is only `a`, on files
   * @param work gets the folder with the roots `a` and `b`, what starts a verb, and the relays in the same order
   */
  async with(isShared, work) {
    const { initEngine, parseEngineAddress, realClock } = await import('../.build/product.mjs');
    this.#count += 1;
    const dir = join(this.#dir, `shared-${this.#count}`);
    const roots = (isShared ? ['a', 'b'] : ['a']).map((name) => join(dir, name));
    for (const root of roots) mkdirSync(root, { recursive: true });
    const env = { PATH: process.env.PATH, HOME: process.env.HOME };
    const started = [];
    const start = (...argv) => {
      const child = spawn(process.execPath, [TEAMS, ...argv], { env, cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] });
      started.push(child);
      return child;
    };
    const relays = [];
    try {
      if (isShared) {
        env.TEAMS_STORE = await this.#makeStore(`bench_${this.#count}`);
        await initEngine(parseEngineAddress(env.TEAMS_STORE, 'environment'), [], realClock);
        for (const root of roots) {
          const child = start('store', 'relay', '--root', root);
          relays.push(child);
          await once(child.stdout, 'data');
          child.stdout.resume();
        }
      }
      return await work({ dir, roots, start, relays });
    } finally {
      // The relays last: whoever ends gives its lease back through them.
      for (const child of started.toReversed()) await end(child);
    }
  }
}

const hasEnded = ({ exitCode, signalCode }) => exitCode !== null || signalCode !== null;

export async function end(child, signal = 'SIGTERM') {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** Waits until `isSo` holds. @throws Error after 20 s, unless `patience` says otherwise */
export async function until(isSo, what, patience = ENDS_MS) {
  for (const began = performance.now(); !(await isSo()); await setTimeout(LOOK_MS))
    if (performance.now() - began > patience) throw new Error(`Waited ${patience} ms in vain: ${what}.`);
}

/** Makes the team `bench` at the first of the roots, and waits until all have it. */
export async function teamIn(roots, members, changes = []) {
  const { newTeam } = await import('../.build/product.mjs');
  const handle = await newTeam('bench', { members, changes }, { root: roots[0], environment: {} });
  await handle[Symbol.asyncDispose]();
  await until(() => roots.every((root) => existsSync(logOf(root))), 'the team is on all machines');
}

export const logOf = (root, team = 'bench') => join(root, '.tasks', team, 'log.jsonl');

export const exec = (name, command = ['true']) => ({ name, agent: { kind: 'exec', command } });
