/** The open files that this process would hand on to a program: those that are not closed at an `exec`. */
import { readdirSync, readFileSync } from 'node:fs';

const CLOSED_AT_EXEC = 0o2000000;

export function inheritedDescriptors(): number {
  return readdirSync('/proc/self/fd').filter((name) => Number(name) > 2 && isHandedOn(name)).length;
}

function isHandedOn(name: string): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_AT_EXEC) === 0;
  } catch {
    return false; // The listing's own descriptor.
  }
}
