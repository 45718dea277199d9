/**
 * What the command line uses of its process: three streams, the environment, the working directory. Tests pass their
 * own.
 */
import process from 'node:process';

export interface OutputStream {
  /** @param done called when the text was accepted, or when the reader is gone */
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
  /** Aborts when the reader of stdout is gone. */
  readonly gone: AbortSignal;
}

let own: CliIo | undefined;

/** The streams and environment of this process. A reader that exits early (`teams log | head`) causes no error. */
export function processIo(): CliIo {
  if (own) return own;
  const gone = new AbortController();
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // // EIO: the terminal was closed.
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
