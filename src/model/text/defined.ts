/** Removes undefined keys, for the few readers that distinguish an absent key from an undefined one. */
type OptionalKeys<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];

/** `T` in which keys that may be undefined may be absent instead. */
type Defined<T> = { [K in Exclude<keyof T, OptionalKeys<T>>]: T[K] } & {
  [K in OptionalKeys<T>]?: Exclude<T[K], undefined>;
};

/**
 * Removes keys whose value is undefined. Use it only for readers that distinguish both: spreads over defaults,
 * environments, records that are listed by key, option types of other packages.
 */
export function defined<T extends object>(values: T): Defined<T>;
export function defined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
