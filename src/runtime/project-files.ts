/** Which files a project has; looked for in a thread, so that a large tree holds nobody up. */
import type { Walked } from '../store/project-walk.ts';
import { scanProgram } from './package.ts';
import type { Scan } from './scan-worker.ts';

/** More files than this are not looked at one by one. */
const MOST_FILES = 50_000;

export async function projectFiles(cwd: string, signal: AbortSignal): Promise<Walked> {
  const { Piscina } = await import('piscina');
  const pool = new Piscina<Scan, Walked>({ filename: scanProgram, minThreads: 1, maxThreads: 1 });
  try {
    return await pool.run({ cwd, most: MOST_FILES }, { signal });
  } finally {
    await pool.destroy();
  }
}
