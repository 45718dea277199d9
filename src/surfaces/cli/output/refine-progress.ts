/** The progress of a refine loop, one line for each step: round, phase, backend, elapsed time, result. */
import { safeLine, duration, type RefineProgress } from '../../../app.ts';

/** `round 1/3  do      codex  12s  delivered` */
export function progressLine({ round, maxRounds, phase, backend, elapsedMs, text }: RefineProgress): string {
  const said = safeLine(text);
  if (round === 0) return said;
  const who = backend === undefined ? '' : `${safeLine(backend)}  `;
  return `round ${round}/${maxRounds}  ${phase.padEnd(8)}  ${who}${duration(elapsedMs)}  ${said}`;
}
