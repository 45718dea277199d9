/**
 * Loaded into a program by `--import`: says how late its event loop was, into the file that `LOOP_PROBE` names, at each
 * SIGUSR2, and begins anew.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('SIGUSR2', () => {
  const ms = (nanoseconds) => nanoseconds / 1e6;
  const said = { max: ms(delay.max), p99: ms(delay.percentile(99)), p50: ms(delay.percentile(50)) };
  writeFileSync(process.env.LOOP_PROBE, JSON.stringify(said));
  delay.reset();
});
