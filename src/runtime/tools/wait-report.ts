/** Reports of a wait to the caller of a tool: that it goes on, and the last line of the output of what it waits for. */
import { safeLine } from '../../model/text/safe-text.ts';
import { lastLine, outputTail, tailText } from '../../os/output-tail.ts';

/** Milliseconds between two reports without news. */
const QUIET_MS = 5_000;
/** Milliseconds between two reports of new lines, however fast they come. */
const NEWS_MS = 500;
/** Bytes in which the last line is looked for. */
const LINE_BYTES = 2_048;
const LINE_CHARACTERS = 200;

/** The last line of a stream that is still written. */
export class LastLine {
  readonly #tail = outputTail(LINE_BYTES);

  push(bytes: Buffer): void {
    this.#tail.push(bytes);
  }

  /** Undefined before the first line. */
  get text(): string | undefined {
    const line = lastLine(tailText(this.#tail.bytes(), LINE_BYTES));
    return line === undefined ? undefined : safeLine(line.slice(0, LINE_CHARACTERS));
  }
}

interface WaitReports {
  readonly report: (text: string) => void;
  /** What the wait is for. */
  readonly what: string;
  /** The last line of its output, if it has one. */
  readonly line?: () => string | undefined;
}

/** Reports at once, at each new line, and every {@link QUIET_MS} while it waits. */
export async function reporting<T>({ report, what, line }: WaitReports, wait: Promise<T>): Promise<T> {
  let told: string | undefined;
  let quietMs = 0;
  report(what);
  const timer = setInterval(() => {
    const now = line?.();
    quietMs += NEWS_MS;
    if (now === told && quietMs < QUIET_MS) return;
    [told, quietMs] = [now, 0];
    report(now === undefined ? what : `${what}: ${now}`);
  }, NEWS_MS);
  try {
    return await wait;
  } finally {
    clearInterval(timer);
  }
}
