/** A real terminal: tmux with its own server, whose screen can be read and whose keys can be pressed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { until } from './cli.ts';
import { tempDir } from './temp.ts';

export const noTmux = (): string | undefined =>
  spawnSync('tmux', ['-V']).status === 0 ? undefined : 'tmux is not installed';

export class Terminal {
  readonly #environment: Record<string, string>;

  /** @param command for a shell; the screen stays when it has ended */
  constructor(
    command: string,
    environment: Readonly<Record<string, string>>,
    { columns = 100, rows = 30, cwd }: { columns?: number; rows?: number; cwd: string },
  ) {
    const sockets = tempDir();
    this.#environment = {
      ...environment,
      TMUX_TMPDIR: sockets,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      SHELL: '/bin/sh',
    };
    const size = ['-x', String(columns), '-y', String(rows + 1)];
    onTestFinished(() => void spawnSync('tmux', ['kill-server'], { env: this.#environment }));
    this.#tmux('-f', '/dev/null', 'new-session', '-d', ...size, '-c', cwd, `${command}; echo EXIT $?; sleep 600`);
  }

  press(...keys: string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  type(text: string): void {
    this.#tmux('send-keys', '-l', text);
  }

  /** Types a line and presses Enter. */
  typing(line: string): this {
    this.type(line);
    this.press('Enter');
    return this;
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** The content of the screen; with `past`, also what scrolled off it. */
  screen({ past = false } = {}): string {
    return this.#tmux('capture-pane', '-p', ...(past ? ['-S', '-'] : []));
  }

  /** `cursor` is 1 if it is visible, `second` if the alternate screen is. */
  state(): { cursor: string; second: string; pid: number } {
    const [cursor = '', second = '', pid = ''] = this.#tmux(
      'display',
      '-p',
      '#{cursor_flag} #{alternate_on} #{pane_pid}',
    )
      .trim()
      .split(' ');
    return { cursor, second, pid: Number(pid) };
  }

  async shows(what: RegExp): Promise<string> {
    try {
      await until(() => what.test(this.screen()), `the screen shows ${String(what)}`, 20_000);
    } catch (error) {
      throw new Error(`${String(error)}\n${this.screen()}`, { cause: error });
    }
    return this.screen();
  }

  #tmux(...args: string[]): string {
    return execFileSync('tmux', args, { env: this.#environment, encoding: 'utf8' });
  }
}
