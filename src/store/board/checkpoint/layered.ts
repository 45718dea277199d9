/**
 * A map and a set whose first entries are in a checkpoint, and whose later ones are in memory. To their users they are
 * an ordinary `Map` and an ordinary `Set`: the rules of the board know nothing of a checkpoint.
 */
export interface BaseLayer<V> {
  readonly size: number;
  get(key: string): V | undefined;
  keys(): Iterable<string>;
}

export class LayeredMap<V> extends Map<string, V> {
  readonly #base: BaseLayer<V>;
  readonly #gone = new Set<string>();
  #added = 0;

  constructor(base: BaseLayer<V>) {
    super();
    this.#base = base;
  }

  override get size(): number {
    return this.#base.size - this.#gone.size + this.#added;
  }

  override get(key: string): V | undefined {
    return super.get(key) ?? (this.#gone.has(key) ? undefined : this.#base.get(key));
  }

  override has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  override set(key: string, value: V): this {
    if (!super.has(key) && !this.#gone.delete(key) && this.#base.get(key) === undefined) this.#added += 1;
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    if (!this.has(key)) return false;
    super.delete(key);
    if (this.#base.get(key) === undefined) this.#added -= 1;
    else this.#gone.add(key);
    return true;
  }

  override *keys(): MapIterator<string> {
    for (const key of this.#base.keys()) if (!this.#gone.has(key)) yield key;
    for (const key of super.keys()) if (this.#base.get(key) === undefined) yield key;
  }

  override *entries(): MapIterator<[string, V]> {
    for (const key of this.keys()) {
      const value = this.get(key);
      if (value !== undefined) yield [key, value];
    }
  }

  override *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  override [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }

  override forEach(each: (value: V, key: string, map: Map<string, V>) => void): void {
    for (const [key, value] of this.entries()) each(value, key, this);
  }

  /** The keys whose entries are not those of the checkpoint. */
  *changed(): Generator<string> {
    yield* super.keys();
    yield* this.#gone;
  }

  /** The entries in memory. */
  later(): MapIterator<[string, V]> {
    return super.entries();
  }
}

export class LayeredSet extends Set<string> {
  readonly #base: { readonly size: number; has(key: string): boolean };

  constructor(base: { readonly size: number; has(key: string): boolean }) {
    super();
    this.#base = base;
  }

  override get size(): number {
    return this.#base.size + super.size;
  }

  override has(key: string): boolean {
    return super.has(key) || this.#base.has(key);
  }

  override add(key: string): this {
    return this.#base.has(key) ? this : super.add(key);
  }

  /** The elements in memory. */
  later(): SetIterator<string> {
    return super.values();
  }
}
