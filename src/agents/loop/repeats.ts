/** The loop detector: the same call, answered the same way, three times in a row leads nowhere. */

/** So often the same is answered; the next time it is not carried out. */
const CARRIED_OUT = 2;
/** So often it is refused; then the turn ends. */
const REFUSED = 2;

export interface Repeats {
  /** Before a call: whether it is carried out, refused with a word, or the end. */
  judge(tool: string, input: unknown): 'carry out' | 'refuse' | 'give up';
  /** After it was carried out. */
  answered(tool: string, input: unknown, answer: string): void;
}

export function repeats(): Repeats {
  let [last, lastAnswer, same, refused] = ['', '', 0, 0];
  return {
    judge: (tool, input) => {
      if (keyOf(tool, input) !== last || same < CARRIED_OUT) return 'carry out';
      refused += 1;
      return refused > REFUSED ? 'give up' : 'refuse';
    },
    answered: (tool, input, answer) => {
      const key = keyOf(tool, input);
      same = key === last && answer === lastAnswer ? same + 1 : 1;
      [last, lastAnswer, refused] = [key, answer, 0];
    },
  };
}

const keyOf = (tool: string, input: unknown): string => `${tool} ${JSON.stringify(sorted(input))}`;

/** The same arguments in another order are the same. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, sorted(item)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
