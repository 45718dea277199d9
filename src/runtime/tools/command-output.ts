/** The output of a command, both streams as they came: all of it, or the beginning and the end with a note between. */
import { outputTail, tailText } from '../../os/output-tail.ts';

interface CommandOutput {
  push(bytes: Buffer): void;
  text(): string;
}

/** @param most bytes that are kept; half of them from the beginning */
export function commandOutput(most: number): CommandOutput {
  const half = Math.floor(most / 2);
  const head: Buffer[] = [];
  const tail = outputTail(half);
  let [held, total] = [0, 0];
  return {
    push: (bytes) => {
      total += bytes.length;
      const room = Math.min(half - held, bytes.length);
      if (room > 0) head.push(Buffer.from(bytes.subarray(0, room)));
      held += Math.max(room, 0);
      if (room < bytes.length) tail.push(bytes.subarray(Math.max(room, 0)));
    },
    text: () => {
      const begun = Buffer.concat(head);
      const left = total - held;
      if (left === 0) return begun.toString('utf8');
      if (left <= half) return Buffer.concat([begun, tail.bytes()]).toString('utf8');
      const note = `\n[${left - half} of ${total} bytes are left out here]\n`;
      // A character that was cut in two is left out.
      const beginning = new TextDecoder().decode(begun, { stream: true });
      return `${beginning}${note}${tailText(tail.bytes(), half - 4)}`;
    },
  };
}
