/**
 * Loaded into a program by `--import`: at each SIGUSR2 it writes its event loop's delay to the file named by
 * `LOOP_PROBE`, and starts counting again.
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
