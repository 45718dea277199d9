/** The flags of a bench program; a wrong one ends it with one sentence and the exit code of bad input. */
import { parseArgs } from 'node:util';

export function flagsOf(options) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`);
    console.error(`${error.message.split('. ')[0].replace(/\.$/, '')}. Flags are ${known.join(', ')}.`);
    return process.exit(2);
  }
}
