/** Server-sent events out of text that comes in pieces, as the HTML standard reads them, as far as our server writes them. */
export interface ServerEvent {
  readonly id: string;
  readonly data: string;
}

export class EventReader {
  #rest = '';
  #id = '';
  #data: string[] = [];

  /** The id of the last whole event: what is asked for again begins after it. */
  #lastId = '';

  get lastId(): string {
    return this.#lastId;
  }

  /** A new connection: what was half heard is forgotten. */
  restart(): void {
    [this.#rest, this.#id, this.#data] = ['', '', []];
  }

  /** @returns the events that became whole */
  push(piece: string): ServerEvent[] {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line.replace(/\r$/, '')));
  }

  #line(line: string): ServerEvent[] {
    if (line.startsWith('data:')) this.#data.push(line.slice(5).replace(/^ /, ''));
    else if (line.startsWith('id:')) this.#id = line.slice(3).trim();
    if (line !== '' || this.#data.length === 0) return [];
    const event = { id: this.#id, data: this.#data.join('\n') };
    this.#data = [];
    this.#lastId = this.#id;
    return [event];
  }
}
