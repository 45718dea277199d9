/** What a person is told while members are asked to stop, which takes as long as `shutdownTimeoutMs`. */
import type { CliContext } from '../context.ts';

const SILENCE_MS = 1_000;

/** @param cure the rest of the sentence: what does not wait */
export function noticeStopping(context: Pick<CliContext, 'info'>, team: string, cure: string): Disposable {
  const tell = (): void => context.info(`The members of ${team} are asked to stop and may end what they do; ${cure}.`);
  const timer = setTimeout(tell, SILENCE_MS);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
