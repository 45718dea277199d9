/** Converts the nodes of a YAML document to a plain value, and a path in that value to its position in the text. */
import { isAlias, isMap, isScalar, isSeq, type ParsedNode } from 'yaml';
import { quoted, type Path, type DocumentProblem } from './document-problem.ts';

/** All values of a scalar in YAML's core schema. */
export type Literal = string | number | boolean | null;

/** Decides the value of a scalar from its parsed value, its source text and its path. */
export type ReadScalar = (value: Literal, written: string, path: Path) => unknown;

/** A scalar has its value in YAML's core schema. */
export const asYaml: ReadScalar = (value) => value;

/** The deepest nesting of the text; much deeper ones overflow the stack of the YAML composer. */
export const MAX_NESTING = 64;
/** The most nodes that may be reached again through aliases: a "billion laughs" file multiplies them. */
const MAX_ALIASED = 100_000;
/** At most this many faults are reported; later ones usually follow from earlier ones. */
const MAX_FAULTS = 10;

export interface YamlFault {
  readonly offset: number;
  readonly text: string;
}

/** One pass over the nodes that makes the plain value; `faults` has the reasons if that failed. */
export class Walk {
  readonly faults: YamlFault[] = [];
  readonly #anchors = new Map<string, ParsedNode>();
  readonly #path: PropertyKey[] = [];
  readonly #readScalar: ReadScalar;
  #aliased = 0;
  #depthOfAliases = 0;

  constructor(readScalar: ReadScalar) {
    this.#readScalar = readScalar;
  }

  value(node: ParsedNode | null): unknown {
    if (node === null) return null;
    if (this.#depthOfAliases > 0) this.#aliased += 1;
    if (this.#aliased > MAX_ALIASED || this.#path.length > MAX_NESTING) {
      this.#refuse(node);
      return undefined;
    }
    if (isAlias(node)) return this.#follow(node);
    if (node.anchor !== undefined && this.#depthOfAliases === 0) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return this.#readScalar(literal(node.value), node.source, this.#path);
    if (isSeq(node)) return node.items.map((item, index) => this.#under(index, item));
    return this.#map(node.items);
  }

  #map(pairs: readonly { key: ParsedNode; value: ParsedNode | null }[]): unknown {
    const entries = new Map<string, unknown>();
    for (const { key, value } of pairs) {
      const name = keyOf(key);
      const fault = name === '__proto__' ? 'cannot be a key' : entries.has(name) ? 'is here twice' : undefined;
      if (fault !== undefined) this.#fault(key, `${quoted(name)} ${fault}.`);
      else entries.set(name, this.#under(name, value));
    }
    return Object.fromEntries(entries);
  }

  #under(key: PropertyKey, node: ParsedNode | null): unknown {
    this.#path.push(key);
    const value = this.value(node);
    this.#path.pop();
    return value;
  }

  #follow(alias: ParsedNode & { source: string }): unknown {
    const target = this.#anchors.get(alias.source);
    if (target === undefined) {
      this.#fault(alias, `There is no anchor ${quoted(`&${alias.source}`)} before this.`);
      return undefined;
    }
    this.#depthOfAliases += 1;
    const value = this.value(target);
    this.#depthOfAliases -= 1;
    return value;
  }

  #refuse(node: ParsedNode): void {
    if (this.faults.length === 0)
      this.#fault(node, `This is nested deeper than ${MAX_NESTING} levels, or its aliases multiply without end.`);
  }

  #fault(node: ParsedNode, text: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push({ offset: node.range[0], text });
  }
}

const literal = (value: unknown): Literal =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;

const keyOf = (key: ParsedNode): string => (isScalar(key) ? String(key.value) : '');

/** The offset of the value at a path, as far as the path can be followed. */
export function offsetOf(root: ParsedNode | null, { path, atKey }: Pick<DocumentProblem, 'path' | 'atKey'>): number {
  let node = root;
  let offset = root?.range[0] ?? 0;
  for (const [depth, step] of path.entries()) {
    if (isSeq(node)) node = (typeof step === 'number' ? node.items[step] : undefined) ?? null;
    else if (isMap(node)) {
      const pair = node.items.find(({ key }) => keyOf(key) === step);
      if (pair && atKey === true && depth === path.length - 1) return pair.key.range[0];
      if (pair) offset = pair.key.range[0];
      node = pair?.value ?? null;
    } else return offset;
    if (node === null) return offset;
    offset = node.range[0];
  }
  return offset;
}
