/** What a command line has of the world: three streams, an environment, a directory. A test brings its own. */
import process from 'node:process';

export interface OutputStream {
  /** @param done called when the text was taken, or nobody takes it any more */
  write(text: string, done?: (error?: Error | null) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface InputStream extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean;
}

export interface CliIo {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborts when nobody reads stdout any more. */
  readonly gone: AbortSignal;
}

let own: CliIo | undefined;

/** This process's own. A reader that goes away (`teams log | head`) ends nothing with an error. */
export function processIo(): CliIo {
  if (own) return own;
  const gone = new AbortController();
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // EIO is a terminal that was closed.
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
      if (stream === process.stdout) gone.abort();
    });
  own = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    cwd: process.cwd(),
    gone: gone.signal,
  };
  return own;
}
