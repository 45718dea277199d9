/** What the viewing verbs print with `--json`. An event has the keys that it is stored with. */
import * as z from 'zod';
import { answer, counted, openAnswer, text, time, type VerbShape } from './base-shapes.ts';
import { report, reportBody } from './run-shapes.ts';
import { counts } from './team-shapes.ts';

/** An event has additional fields of its type. */
const fact = {
  number: z.number().int().min(1),
  at: time,
  type: z.string().regex(/^[a-z_]+\../),
  member: text.optional(),
  text: z.string().optional(),
};
/** Without its number where the logs were not read from their start. */
const eventBody = z.looseObject(Object.assign({}, fact, { number: fact.number.optional() }));
export const event = openAnswer(fact);
export const outputLine = answer({ member: text, line: z.string() });
export const explained = answer({
  subject: text,
  state: text,
  waitingFor: text.nullable(),
  since: time.nullable(),
  who: text.nullable(),
  nextAt: time.nullable(),
  next: text,
  events: z.array(eventBody),
});

const spending = z.strictObject({
  tokens: counted,
  usd: z.number(),
  unpriced: z.array(text),
  unknown: z.array(text).optional(),
});
const span = z.strictObject({
  task: text,
  member: text,
  claim: counted,
  from: time,
  to: time.optional(),
  end: text.optional(),
});
const card = z.strictObject({
  id: text,
  subject: text,
  column: text,
  member: text.nullable(),
  waitsFor: z.array(text),
  holds: z.array(text),
  asks: z.boolean(),
  attempts: counted,
  isBegun: z.boolean(),
  since: time,
  reason: text.optional(),
});
const exportedTask = card.extend({
  description: z.string(),
  workedMs: counted,
  spending: spending.nullable(),
  result: z.string().nullable(),
});
const exportedMail = z.strictObject({
  id: text,
  at: time,
  from: text,
  to: text,
  kind: text,
  text: z.string(),
  isWaiting: z.boolean(),
});
export const exported = answer({
  team: text,
  exportedAt: time,
  report: reportBody,
  spending,
  members: z.array(reportBody.shape.members.element.extend({ spending: spending.nullable() })),
  tasks: z.array(exportedTask),
  timeline: z.strictObject({
    from: time,
    to: time,
    spans: z.array(span),
    starts: z.array(z.strictObject({ member: text, at: time, life: counted })),
    critical: z.strictObject({ tasks: z.array(text), durationMs: counted }),
  }),
  mail: z.array(exportedMail),
});

const numberedEvent = z.looseObject(fact);
export const moment = answer({
  team: text,
  /** The last event that had happened. */
  event: numberedEvent,
  events: counted,
  /** Of the board's log, as `cat -n` numbers it. */
  line: z.number().int().min(1),
  phase: z.enum(['open', 'paused', 'closing', 'closed']),
  members: z.array(
    z.strictObject({
      name: text,
      role: text,
      state: z.enum(['joined', 'left']),
      task: text.nullable(),
      last: numberedEvent.nullable(),
    }),
  ),
  counts,
  tasks: z.array(card),
  /** Messages that were sent by then; `unread` is null if it was not recorded. */
  mail: z.array(
    z.strictObject({
      to: text,
      sent: z.number().int().min(1),
      unread: z.number().int().min(0).nullable(),
      last: z.strictObject({ at: time, from: text, text: z.string() }),
    }),
  ),
});

const decided = z.record(z.string(), z.json());
export const replayed = answer({
  looks: counted,
  turns: counted,
  /** Decisions that were recorded. */
  decisions: counted,
  /** Looks and turns that are decided in another way now. */
  differences: counted,
  first: z
    .strictObject({
      kind: z.enum(['look', 'turn']),
      number: z.number().int().min(1),
      at: time,
      then: z.array(decided),
      now: z.array(decided),
    })
    .nullable(),
  /** Looks at which nothing but time had passed, or that could not be written. */
  notRecorded: counted,
  /** Records that are damaged, without their beginning, or of a lead that was replaced meanwhile. */
  notReplayed: counted,
  /** The recording ends before the run. */
  isCut: z.boolean(),
});

const changed = z.strictObject({ path: text, change: z.enum(['added', 'modified', 'deleted']) });
export const undone = answer({
  team: text,
  task: text.nullable(),
  redo: z.boolean(),
  files: z.array(z.strictObject({ path: text, change: z.enum(['restored', 'removed', 'made again']) })),
  /** Files that stay as they are, with the reason. */
  left: z.array(z.strictObject({ path: text, why: text })),
  /** False if nothing was to be done, or the person said no. */
  done: z.boolean(),
});
export const applied = answer({
  team: text,
  /** How many tasks' changes are in it, since the last one. */
  landed: z.number().int().min(0),
  files: z.array(z.strictObject({ path: text, change: z.enum(['added', 'modified', 'deleted']) })),
  done: z.boolean(),
});
const branched = answer({
  team: text,
  branch: text,
  commit: text,
  /** The subjects of its commits. */
  commits: z.array(text),
});
export const pushed = answer({
  team: text,
  branch: text,
  commit: text,
  commits: z.array(text),
  remote: text,
  title: text,
  body: text,
  /** How the pull request is opened. */
  command: z.array(text),
  /** Its address; null if it was not opened. */
  url: text.nullable(),
});
export const changes = answer({
  team: text,
  task: text.nullable(),
  from: text,
  files: z.array(changed),
  diff: z.string(),
});

export const busRecord = answer({
  record: z.strictObject({
    seq: z.number().int().min(1),
    session: text,
    from: text,
    to: text,
    kind: text,
    summary: text,
    ref: text.optional(),
    cause: text.optional(),
  }),
});
const bullets = z.array(text);
export const added = answer({ file: text, added: bullets });
export const wisdom = answer({
  wisdom: z.strictObject({
    learnings: bullets.optional(),
    decisions: bullets.optional(),
    conventions: bullets.optional(),
    issues: bullets.optional(),
  }),
});
export const address = answer({ url: text, port: counted });

export const VIEW_SHAPES: Readonly<Record<string, VerbShape>> = {
  watch: { answers: [], lines: [event] },
  log: { answers: [busRecord], lines: [event] },
  wisdom: { answers: [wisdom, added] },
  logs: { answers: [], lines: [outputLine] },
  ui: { answers: [address] },
  why: { answers: [explained] },
  at: { answers: [moment] },
  replay: { answers: [replayed] },
  report: { answers: [report] },
  export: { answers: [exported] },
  diff: { answers: [changes] },
  undo: { answers: [undone] },
  apply: { answers: [applied, branched, pushed] },
  pr: { answers: [pushed] },
};
