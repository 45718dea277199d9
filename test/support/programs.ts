/** The fixtures that tests start as processes, bundled once for a whole run of the suite by `build-programs.ts`. */
import { join } from 'node:path';
import { inject } from 'vitest';

/** Name → file under `test/fixtures/`. */
export const PROGRAMS = {
  'aimed-worker': 'aimed-worker.ts',
  'campaign-worker': 'campaign-worker.ts',
  'connection-end': 'connection-end.ts',
  disk: 'disk.ts',
  'engine-worker': 'engine-worker.ts',
  'foreign-proc': 'foreign-proc.ts',
  lead: 'lead.ts',
  'model-server': 'model-server/main.ts',
  'scratch-worker': 'scratch-worker.ts',
  'stalling-worker': 'stalling-worker.ts',
  'store-worker': 'store-worker.ts',
  'stress-worker': 'stress-worker.ts',
  worker: 'worker.ts',
} as const;
export type Program = keyof typeof PROGRAMS;

declare module 'vitest' {
  export interface ProvidedContext {
    /** The directory of the built programs. */
    programs: string;
  }
}

/** @returns a file for Node to run */
export const program = (name: Program): string => join(inject('programs'), `${name}.cjs`);
