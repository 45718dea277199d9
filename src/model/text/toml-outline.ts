/**
 * Finds the tables and keys that a TOML document defines, so that a table can be added at its end. Values are skipped,
 * not read. For text that cannot be parsed the line is returned. Source: toml.io/en/v1.0.0.
 */

interface TomlDefinition {
  readonly path: readonly string[];
  /** `[a.b]` may be followed by `[a.b.c]`; a value may not. */
  readonly kind: 'table' | 'value';
}

type TomlOutline =
  { readonly ok: true; readonly defined: readonly TomlDefinition[] } | { readonly ok: false; readonly line: number };

const GAP = /[ \t]*/y;
/** Text that is allowed between statements and between the items of a list. */
const VOID = /(?:[ \t\r\n]|#[^\n]*)*/y;
const END = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;
const KEY = /[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;
const TEXT = /"""(?:[^"\\]|\\[^]|"(?!""))*"{3,5}|'''(?:[^']|'(?!''))*'{3,5}|"(?!"")(?:[^"\\\n]|\\.)*"|'(?!'')[^'\n]*'/y;
const SCALAR = /[0-9A-Za-z+_.:-]+(?: [0-9:.+Z-]+)?/y;
/** The deepest nesting of lists and tables. */
const DEEPEST = 64;

class Lost extends Error {}

class Scanner {
  readonly defined: TomlDefinition[] = [];
  readonly #text: string;
  #at = 0;
  #table: readonly string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  get line(): number {
    return this.#text.slice(0, this.#at).split('\n').length;
  }

  scan(): void {
    for (this.#take(VOID); this.#at < this.#text.length; this.#take(VOID)) {
      if (this.#text[this.#at] === '[') this.#header();
      else this.#pair(this.#table, 0);
      this.#expect(END);
    }
  }

  #header(): void {
    const brackets = this.#expect(/\[\[?/y).length;
    this.#table = this.#dotted();
    this.#expect(brackets === 2 ? /\]\]/y : /\]/y);
    this.defined.push({ path: this.#table, kind: 'table' });
  }

  #pair(inside: readonly string[], depth: number): void {
    const path = [...inside, ...this.#dotted()];
    this.#expect(/=/y);
    this.#take(GAP);
    this.defined.push({ path, kind: 'value' });
    this.#value(path, depth);
  }

  #dotted(): string[] {
    const path: string[] = [];
    do {
      this.#take(GAP);
      path.push(plain(this.#expect(KEY)));
      this.#take(GAP);
    } while (this.#take(/\./y) !== undefined);
    return path;
  }

  #value(path: readonly string[], depth: number): void {
    if (depth > DEEPEST) throw new Lost();
    if (this.#take(/\[/y) !== undefined) this.#items(/\]/y, () => this.#value(path, depth + 1));
    else if (this.#take(/\{/y) !== undefined) this.#items(/\}/y, () => this.#pair(path, depth + 1));
    else if (this.#take(TEXT) === undefined) this.#expect(SCALAR);
  }

  #items(close: RegExp, item: () => void): void {
    for (this.#take(VOID); this.#take(close) === undefined; this.#take(VOID)) {
      item();
      this.#take(VOID);
      if (this.#take(/,/y) !== undefined) continue;
      this.#expect(close);
      return;
    }
  }

  /**
   * @param pattern sticky
   * @returns what it matched; an empty text is a match, too
   */
  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #expect(pattern: RegExp): string {
    const found = this.#take(pattern);
    if (found === undefined) throw new Lost();
    return found;
  }
}

const plain = (key: string): string => (/^["']/.test(key) ? key.slice(1, -1) : key);

export function tomlOutline(text: string): TomlOutline {
  const scanner = new Scanner(text);
  try {
    scanner.scan();
    return { ok: true, defined: scanner.defined };
  } catch (error) {
    if (error instanceof Lost) return { ok: false, line: scanner.line };
    throw error;
  }
}
