/** The invariants of docs/reliability.md "Invariants", by id, over the events of a simulated run. */
import type { Machine } from './machine.ts';
import { checkBoard } from './check-board.ts';
import { checkLocks } from './check-locks.ts';
import { checkMail } from './check-mail.ts';

export interface Violation {
  readonly id: string;
  readonly what: string;
}

export function check(machine: Machine): Violation[] {
  const crashed = machine.crashes.map((what) => ({ id: 'crash', what }));
  const waiting = machine.lives.filter(({ state }) => state === 'running');
  const stuck = waiting.map(({ name }) => ({ id: 'L6', what: `${name} never ends` }));
  return [...crashed, ...stuck, ...checkLocks(machine), ...checkMail(machine), ...checkBoard(machine)];
}
