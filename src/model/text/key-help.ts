/**
 * What a key of a file means, for people: descriptions, defaults and examples beside the schema, in tables that no start
 * of a process loads. Editors, `docs/` and the comments of `teams init` take them from these tables.
 */
import { defined } from './defined.ts';

export interface KeyHelp {
  /** Plain sentences. */
  readonly text: string;
  /** What holds without the key, in words: only where the schema has no default of its own. */
  readonly otherwise?: string;
  /** The default as a value: only where the JSON Schema of the key cannot show it. */
  readonly default?: unknown;
  /** A value as a person would write it. */
  readonly example?: unknown;
}

/** By path: `gates.build`, `members[].name` for the entries of a list, `prices.*.input` for those of a map. */
export type KeyHelpTable = Readonly<Record<string, KeyHelp>>;

/** The same table, for a value that stands below a key. */
export const helpBelow = (path: string, table: KeyHelpTable): KeyHelpTable =>
  Object.fromEntries(Object.entries(table).map(([key, help]) => [`${path}.${key}`, help]));

/** A JSON Schema, as far as it is walked here. */
export interface SchemaNode {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly default?: unknown;
}

export interface DescribedSchema {
  readonly schema: SchemaNode;
  /** Paths of keys that the table does not know. */
  readonly missing: readonly string[];
  /** Entries of the table for which the schema has no key. */
  readonly stale: readonly string[];
}

/** Puts the table's entries into the schema. The schema stays as it is. */
export function describedSchema(schema: SchemaNode, table: KeyHelpTable): DescribedSchema {
  const seen = new Set<string>();
  const described = walk(schema, '', (path, node) => {
    seen.add(path);
    const help = table[path];
    return help === undefined ? node : withHelp(node, help);
  });
  return {
    schema: described,
    missing: [...seen].filter((path) => !Object.hasOwn(table, path)),
    stale: Object.keys(table).filter((path) => !seen.has(path)),
  };
}

/** What the schema says itself goes before the table. */
function withHelp(node: SchemaNode, { text, otherwise, example, default: value }: KeyHelp): SchemaNode {
  return defined({
    description: otherwise === undefined ? text : `${text} Default: ${otherwise}.`,
    default: value,
    ...node,
    examples: example === undefined ? undefined : [example],
  });
}

type OnKey = (path: string, node: SchemaNode) => SchemaNode;

function walk(node: SchemaNode, path: string, onKey: OnKey): SchemaNode {
  const { properties, additionalProperties, items, anyOf } = node;
  const made: Record<string, unknown> = { ...node };
  if (properties !== undefined)
    made['properties'] = Object.fromEntries(
      Object.entries(properties).map(([key, inner]) => {
        const below = path === '' ? key : `${path}.${key}`;
        return [key, walk(onKey(below, inner), below, onKey)];
      }),
    );
  if (typeof additionalProperties === 'object')
    made['additionalProperties'] = walk(additionalProperties, `${path}.*`, onKey);
  if (items !== undefined) made['items'] = walk(items, `${path}[]`, onKey);
  if (anyOf !== undefined) made['anyOf'] = anyOf.map((branch) => walk(branch, path, onKey));
  return made;
}
