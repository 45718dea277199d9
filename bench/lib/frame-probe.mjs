/**
 * Loaded by `--import` into a program that draws: writes its pid and the times of its frames to the files at
 * `FRAME_PROBE`, besides its loop's delay.
 */
import { writeFileSync } from 'node:fs';
import './loop-probe.mjs';

/** Shorter writes are control sequences, not frames. */
const LEAST = 200;

const frames = [];
const { stdout } = process;
const write = stdout.write.bind(stdout);
stdout.write = (chunk, ...rest) => {
  if (chunk.length >= LEAST) frames.push(performance.now());
  return write(chunk, ...rest);
};
process.on('SIGUSR2', () => writeFileSync(process.env.FRAME_PROBE, JSON.stringify(frames.splice(0))));
writeFileSync(`${process.env.FRAME_PROBE}.pid`, String(process.pid));
