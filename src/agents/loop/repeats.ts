/** The loop detector: the same call with the same answer, three times in a row, makes no progress. */

/** How often the same call may get the same answer; the next one is not carried out. */
const CARRIED_OUT = 2;
/** How often it is refused before the turn ends. */
const REFUSED = 2;

interface Repeats {
  /** Before a call: whether it is carried out, refused with a message, or ends the turn. */
  judge(tool: string, input: unknown): 'carry out' | 'refuse' | 'give up';
  /** After the call was carried out. */
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

/** The same arguments in another order count as the same. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, sorted(item)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
