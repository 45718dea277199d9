/** How long the critical path is by now: pure. While its last task is worked on it grows. */
import type { PageModel } from './page-model.ts';

export function criticalMs({ path, spans }: Pick<PageModel, 'path' | 'spans'>, now: number): number {
  const last = path.tasks.at(-1);
  const isOpen = [...spans.values()].some(({ task, to }) => task === last && to === null);
  return isOpen ? path.ms + Math.max(0, now - path.at) : path.ms;
}
