/** The length of the critical path now: it grows while its last task is in progress. Pure. */
import type { PageModel } from './page-model.ts';

export function criticalMs({ path, spans }: Pick<PageModel, 'path' | 'spans'>, now: number): number {
  const last = path.tasks.at(-1);
  const isOpen = [...spans.values()].some(({ task, to }) => task === last && to === null);
  return isOpen ? path.ms + Math.max(0, now - path.at) : path.ms;
}
