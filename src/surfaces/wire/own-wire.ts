/** The streams of a protocol's host: those of this process, or of a host behind a socket; and when the host is gone. */
import process from 'node:process';
import { Writable, type Readable } from 'node:stream';

export interface HostWire {
  readonly input: Readable;
  readonly output: Writable;
}

/** Takes stdout for the protocol: from now on only this wire writes there, and all other text goes to stderr. */
export function ownWire(): HostWire {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  // A write to a host that is gone fails on our own stream, too, which tells of it.
  process.stdout.on('error', () => undefined);
  const output = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      write(chunk, done);
    },
  });
  return { input: process.stdin, output };
}

/** Resolves when the host closes its end or cannot be written to, or when `stop` aborts. Call it before reading. */
export function hostGone({ input, output }: HostWire, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    for (const end of ['end', 'close', 'error']) input.once(end, () => resolve());
    output.once('error', () => resolve());
    stop.addEventListener('abort', () => resolve(), { once: true });
    if (stop.aborted) resolve();
  });
}
