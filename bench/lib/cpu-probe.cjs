/** Loaded before a program: at its end it writes its processor time, in milliseconds, to the descriptor CPU_PROBE. */
const { writeSync } = require('node:fs');

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(Number(process.env.CPU_PROBE), String((user + system) / 1_000));
});
