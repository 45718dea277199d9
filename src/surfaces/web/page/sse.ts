/** Parses server-sent events from text in pieces: the part of the HTML standard that our server uses. */
interface ServerEvent {
  readonly id: string;
  readonly data: string;
}

export class EventReader {
  #rest = '';
  #id = '';
  #data: string[] = [];

  /** The id of the last complete event; a new request continues after it. */
  #lastId = '';

  get lastId(): string {
    return this.#lastId;
  }

  /** For a new connection: discards an incomplete event. */
  restart(): void {
    [this.#rest, this.#id, this.#data] = ['', '', []];
  }

  /** @returns the events that this piece completed */
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
