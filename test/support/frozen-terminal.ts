/**
 * A pseudo terminal that is not read: what Ctrl-S, a copy mode or a hung connection looks like to a program. A few
 * lines of Python hold its other side.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

export const noPty = (): string | undefined =>
  spawnSync('python3', ['-c', 'import pty']).status === 0 ? undefined : 'python3 is not installed';

/** Fills the terminal's buffer, starts the command on it, and prints its pid; `read` on stdin reads the terminal. */
const HOLD = `
import fcntl, os, pty, select, signal, subprocess, sys, termios
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, b'\\x1e\\0\\x50\\0\\0\\0\\0\\0')
if sys.argv[1] == 'full':
    os.set_blocking(slave, False)
    try:
        while True: os.write(slave, b'.' * 64)
    except BlockingIOError: pass
    os.set_blocking(slave, True)
# As a shell: the terminal outlives the command.
os.setsid()
fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
def own(): signal.signal(signal.SIGHUP, signal.SIG_DFL)
child = subprocess.Popen(sys.argv[2:], stdin=slave, stdout=slave, stderr=slave, preexec_fn=own)
os.close(slave)
print('pid', child.pid, flush=True)
reading = False
said = False
while True:
    ready, _, _ = select.select([0] + ([master] if reading else []), [], [], 0.02)
    if 0 in ready:
        line = sys.stdin.readline()
        if line == '': break
        reading = True
    if master in ready:
        try: data = os.read(master, 65536)
        except OSError: data = b''
        if data == b'': reading = False
        sys.stdout.write('text ' + data.hex() + '\\n'); sys.stdout.flush()
    if not said and child.poll() is not None:
        said = True
        print('exit', child.returncode, flush=True)
os.close(master)
child.poll() is None and child.kill()
`;

export class FrozenTerminal {
  readonly #holder: ChildProcess;
  #lines = '';

  /** @param state `full` takes not one byte; `empty` takes what fits into its buffer */
  constructor(
    state: 'full' | 'empty',
    command: readonly string[],
    { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ) {
    this.#holder = spawn('python3', ['-c', HOLD, state, ...command], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#holder.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#lines += text));
    onTestFinished(() => this.close());
  }

  /** Of the command; undefined until it runs. */
  get pid(): number | undefined {
    const found = /^pid (\d+)$/m.exec(this.#lines)?.[1];
    return found === undefined ? undefined : Number(found);
  }

  /** The exit code of the command, negative for a signal; undefined while it runs. */
  get exit(): number | undefined {
    const found = /^exit (-?\d+)$/m.exec(this.#lines)?.[1];
    return found === undefined ? undefined : Number(found);
  }

  /** What was read. */
  get text(): string {
    return [...this.#lines.matchAll(/^text ([0-9a-f]*)$/gm)].map(([, hex = '']) => Buffer.from(hex, 'hex')).join('');
  }

  /** Reads the terminal from now on. */
  thaw(): void {
    this.#holder.stdin?.write('read\n');
  }

  /** Closes the terminal, as a closed window does. */
  async close(): Promise<void> {
    if (this.#holder.exitCode !== null || this.#holder.signalCode !== null) return;
    const gone = once(this.#holder, 'exit');
    this.#holder.stdin?.end();
    await gone;
  }
}
