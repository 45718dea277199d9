/**
 * Tells a person who looks elsewhere that something waits for them or that a run is over: by the terminal's bell, and as
 * a notification of the desktop where the terminal has an escape sequence for it. What does not know it ignores it.
 */
import { safeLine, type RunOutcome, type TeamSnapshot } from '../../../app.ts';

/** The setting `notify`. */
export type Notify = 'auto' | 'bell' | 'off';

const BELL = '\u0007';
const TEXT_LIMIT = 200;

/** The sequence of a terminal: 99 of kitty, 777 of rxvt, foot and VTE, 9 of iTerm2, WezTerm and ghostty. */
export function notificationOf(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  const shown = safeLine(text).replaceAll(';', ',').slice(0, TEXT_LIMIT);
  const { TERM = '', TERM_PROGRAM = '' } = environment;
  if (TERM.includes('kitty')) return `\u001b]99;;${shown}\u001b\\`;
  if (/rxvt|foot/.test(TERM) || environment['VTE_VERSION'] !== undefined)
    return `\u001b]777;notify;teams;${shown}\u001b\\`;
  if (/iTerm|WezTerm|ghostty/i.test(TERM_PROGRAM)) return `\u001b]9;${shown}\u001b\\`;
  return '';
}

const isOver = (outcome: RunOutcome): boolean => outcome !== 'running' && outcome !== 'waiting';

export class Notifier {
  readonly #notify: Notify;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #known: ReadonlySet<string> | undefined;
  #outcome: RunOutcome | undefined;

  constructor(notify: Notify, environment: Readonly<Record<string, string | undefined>>) {
    this.#notify = notify;
    this.#environment = environment;
  }

  /** @returns what to write to the terminal; empty for nothing new. What was there at the first look is not new. */
  look(team: string, { problems, outcome }: Pick<TeamSnapshot, 'problems' | 'outcome'>): string {
    const requests = problems.flatMap(({ request }) => request ?? []);
    const asked = this.#known === undefined ? [] : requests.filter(({ id }) => this.#known?.has(id) === false);
    const ended = this.#outcome !== undefined && !isOver(this.#outcome) && isOver(outcome);
    this.#known = new Set(requests.map(({ id }) => id));
    this.#outcome = outcome;
    const [first] = asked;
    if (this.#notify === 'off' || (first === undefined && !ended)) return '';
    const text = first === undefined ? `${team}: ${outcome}` : `${team}: ${first.from} asks: ${first.text}`;
    return BELL + (this.#notify === 'bell' ? '' : notificationOf(text, this.#environment));
  }
}
