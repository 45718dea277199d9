/**
 * Shows the dashboard on the alternate screen, so that the normal screen stays unchanged. Cursor and normal screen are
 * restored however the process ends, except by SIGKILL.
 */
import process from 'node:process';
import { render, type Instance } from 'ink';
import { App, type AppProps } from './dashboard-app.tsx';
import type { Drawing } from './draw.ts';
import { MARKS_NO_PASTES, MARKS_PASTES, SENDS_MOUSE, SENDS_NO_MOUSE } from './keys.ts';
import type { DashboardSize } from './dashboard-model.ts';

const SECOND_SCREEN = `\u001b[?1049h\u001b[2J\u001b[H${MARKS_PASTES}`;
const FIRST_SCREEN = `${SENDS_NO_MOUSE}${MARKS_NO_PASTES}\u001b[?25h\u001b[?1049l`;
/** Terminals keep titles on a stack; one that does not know it ignores this. */
const KEEP_TITLE = '\u001b[22;2t';
const FORMER_TITLE = '\u001b[23;2t';
const CLEAR = '\u001b[2J\u001b[H';

/** Most drawings per second. */
const MOST_FRAMES = 20;

export class Dashboard {
  readonly #out: NodeJS.WriteStream;
  readonly #onKeys: AppProps['onKeys'];
  readonly #leave = (): void => void this.#out.write(`${FIRST_SCREEN}${FORMER_TITLE}`);
  #instance: Instance | undefined;
  #last: DashboardSize | undefined;
  #title = '';
  #hasMouse = false;

  constructor(out: NodeJS.WriteStream, onKeys: AppProps['onKeys']) {
    this.#out = out;
    this.#onKeys = onKeys;
    out.write(`${KEEP_TITLE}${SECOND_SCREEN}`);
    process.on('exit', this.#leave);
  }

  draw(drawing: Drawing, size: DashboardSize): void {
    const app = <App drawing={drawing} size={size} onKeys={this.#onKeys} />;
    const { columns, rows } = this.#last ?? size;
    if (this.#instance !== undefined && columns === size.columns && rows === size.rows) {
      this.#instance.rerender(app);
      return;
    }
    // A drawing of another size was wrapped: clear the screen and start ink again.
    this.#instance?.unmount();
    this.#out.write(CLEAR);
    this.#last = size;
    this.#instance = render(app, {
      stdout: endless(this.#out),
      exitOnCtrlC: false,
      patchConsole: false,
      maxFps: MOST_FRAMES,
    });
  }

  /** Gives the mouse to the dashboard, or to the terminal. */
  setMouse(isOn: boolean): void {
    if (isOn === this.#hasMouse) return;
    this.#hasMouse = isOn;
    this.#out.write(isOn ? SENDS_MOUSE : SENDS_NO_MOUSE);
  }

  /** The title of the terminal's window. */
  setTitle(title: string): void {
    if (title === this.#title) return;
    this.#title = title;
    this.#out.write(`\u001b]2;${title}\u0007`);
  }

  /** Gives a text to the terminal's clipboard; a terminal that does not allow it ignores this. */
  copy(text: string): void {
    this.#out.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  }

  /** Restores the normal screen. Idempotent. */
  close(): void {
    if (this.#instance === undefined) return;
    this.#instance.unmount();
    this.#instance = undefined;
    process.off('exit', this.#leave);
    this.#leave();
  }
}

/**
 * The stream with an unlimited height. A drawing as high as the screen would make ink clear the whole terminal, with
 * its scrollback.
 */
const endless = (stream: NodeJS.WriteStream): NodeJS.WriteStream =>
  new Proxy(stream, {
    get(target, key): unknown {
      if (key === 'rows') return Number.MAX_SAFE_INTEGER;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? (...args: unknown[]): unknown => Reflect.apply(value, target, args) : value;
    },
  });
