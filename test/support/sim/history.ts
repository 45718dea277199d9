/** The notes of simulated processes about what they did, for the checker. */

/** One note for each of these kinds. */
type Of<Kind extends string, More> = Kind extends string ? { readonly kind: Kind } & Readonly<More> : never;

export type Note =
  | Of<'killed' | 'began reading', object>
  | Of<'entered' | 'left' | 'waited too long', { lock: string }>
  // Each message has a unique text, except those of the v8 writer.
  | Of<'sending' | 'sent' | 'refused' | 'sent without lock' | 'wrote late', { text: string }>
  | Of<'handled', { text: string; id: string; isRedelivered: boolean }>
  | Of<'acknowledged', { ids: readonly string[] }>
  | Of<'created', { task: string; subject: string }>
  | Of<'claimed', { task: string; member: string; epoch: number }>
  | Of<'completed', { task: string; epoch: number }>
  | Of<'leads', { epoch: number }>
  | Of<'damaged', { why: string }>
  | Of<'folded', { offset: number; hash: string }>;

/** A note with its author, the author's life, and the time. */
export type Noted = Note & { readonly by: string; readonly life: number; readonly at: number };

type Is<Kind extends Noted['kind']> = Extract<Noted, { kind: Kind }>;

/** The notes of these kinds, in order. */
export const those = <Kind extends Noted['kind']>(notes: readonly Noted[], ...kinds: Kind[]): Is<Kind>[] =>
  notes.filter((note): note is Is<Kind> => kinds.some((kind) => kind === note.kind));
