/** A disk that stops its process (SIGSTOP) before the n-th file call of any kind. */
import type { Disk } from '../../../src/store/files/disk.ts';
import { stopHere, unflushed } from '../aimed/aim.ts';

export function stoppingDisk(at: number): { readonly disk: Disk; readonly calls: () => number } {
  let calls = 0;
  const wrap =
    (real: (...args: unknown[]) => unknown) =>
    (...args: unknown[]): unknown => {
      calls += 1;
      if (calls === at) stopHere();
      return real(...args);
    };
  const wrapped = Object.entries(unflushed).flatMap(([call, real]) =>
    typeof real === 'function' && call.endsWith('Sync') ? [[call, wrap(real as (...args: unknown[]) => unknown)]] : [],
  );
  return { disk: { ...unflushed, ...(Object.fromEntries(wrapped) as Partial<Disk>) }, calls: () => calls };
}
