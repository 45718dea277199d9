/** Where a text stops being JSON (RFC 8259), for people: V8 reports the place of some errors only. */

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const PLAIN = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** What may come next: a value, a key, or what follows either; `first` also allows the end of the empty container. */
type State = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'after' | 'end';

/** @returns the offset of the first character that is not allowed there; undefined for JSON */
export function badPlace(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let state: State = 'value';
  for (let at = skip(SPACE, text, 0); ; at = skip(SPACE, text, at)) {
    if (at >= text.length) return state === 'end' ? undefined : at;
    const next = step(state, text, at, open);
    if (next === undefined) return at;
    ({ state, at } = next);
  }
}

const skip = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
};

function step(state: State, text: string, at: number, open: ('{' | '[')[]): { state: State; at: number } | undefined {
  const char = text[at];
  const done = (): State => (open.length === 0 ? 'end' : 'after');
  switch (state) {
    case 'colon':
      return char === ':' ? { state: 'value', at: at + 1 } : undefined;
    case 'after':
      if (char === ',') return { state: open.at(-1) === '{' ? 'key' : 'value', at: at + 1 };
      return closes(char, open) ? { state: done(), at: at + 1 } : undefined;
    case 'first key':
    case 'key':
      if (state === 'first key' && closes(char, open)) return { state: done(), at: at + 1 };
      return moved('colon', at, skip(STRING, text, at));
    case 'first value':
    case 'value':
      if (state === 'first value' && closes(char, open)) return { state: done(), at: at + 1 };
      if (char === '{' || char === '[') {
        open.push(char);
        return { state: char === '{' ? 'first key' : 'first value', at: at + 1 };
      }
      return moved(done(), at, skip(char === '"' ? STRING : PLAIN, text, at));
    case 'end':
      return undefined;
    default:
      return state satisfies never;
  }
}

const moved = (state: State, from: number, at: number) => (at > from ? { state, at } : undefined);

function closes(char: string | undefined, open: ('{' | '[')[]): boolean {
  if (char !== (open.at(-1) === '{' ? '}' : ']') || open.length === 0) return false;
  open.pop();
  return true;
}

/** `line 3, column 7`, counted from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
