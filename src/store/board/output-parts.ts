/**
 * Which part of a member's output belongs to which attempt: `logs/<name>.parts.jsonl`, one line for each beginning and
 * each end. It is rotated with the output and names the output's file, so that a part never points into another file.
 */
import * as z from 'zod';
import type { Name } from '../../model/text/names.ts';
import { jsonOf } from '../../model/text/plain-fields.ts';
import { lookAt, O_RDONLY, type Disk } from '../files/disk.ts';
import { openIfThere, readText, using } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';
import type { OutputPlace } from './output-reader.ts';
import { KEPT_OUTPUTS, outputAged } from './output-log.ts';

const partSchema = z.object({
  at: z.string(),
  /** The number of the output's file. */
  file: z.number(),
  /** The byte in that file where the part begins. */
  from: z.number(),
  /** Absent: what follows belongs to no task. */
  task: z.string().optional(),
  claim: z.number().optional(),
});

/** One attempt's part of one file. */
interface OutputPart {
  readonly member: Name;
  readonly claim: number;
  readonly at: string;
  readonly path: string;
  readonly file: number;
  readonly from: number;
  /** Absent: it goes on to the end of the file. */
  readonly to: number | undefined;
  /** When what follows it began; absent for the last one of a file. */
  readonly until: string | undefined;
  readonly task: string | undefined;
}

type Seen = { readonly disk: Disk; readonly paths: Pick<TeamPaths, 'output' | 'outputParts'> };

/** The parts of one member's output, the oldest first. */
function partsOf({ disk, paths }: Seen, member: Name): OutputPart[] {
  const found: OutputPart[] = [];
  for (let age = KEPT_OUTPUTS; age >= 0; age -= 1) {
    const path = outputAged(paths.output(member), age);
    const file = lookAt(disk, path)?.ino;
    const text = file === undefined ? undefined : readText(disk, outputAged(paths.outputParts(member), age));
    if (file === undefined || text === undefined) continue;
    const lines = text
      .split('\n')
      .flatMap(parsed)
      .filter((one) => one.file === file);
    for (const [index, { at, from, claim = 1, task }] of lines.entries()) {
      const next = lines[index + 1];
      found.push({ member, claim, at, path, file, from, to: next?.from, until: next?.at, task });
    }
  }
  return found;
}

/**
 * Where an attempt's output ends; undefined if it goes on to the end of the output or none is known.
 *
 * @param claim undefined: the last attempt
 */
export function endOfPart(seen: Seen, member: Name, task: string, claim?: number): OutputPlace | undefined {
  const part = partsOf(seen, member).findLast(
    (one) => one.task === task && (claim === undefined || one.claim === claim),
  );
  return part?.to === undefined ? undefined : { file: part.file, byte: part.to };
}

function parsed(line: string): z.infer<typeof partSchema>[] {
  if (line === '') return [];
  const part = partSchema.safeParse(jsonOf(line));
  return part.success ? [part.data] : [];
}

/** Reads what a task's attempts printed, look by look, in the order of the attempts. */
export class TaskOutput {
  readonly #seen: Seen;
  readonly #task: string;
  /** A part → how many of its bytes were read. */
  readonly #read = new Map<string, number>();

  constructor(seen: Seen, task: string) {
    this.#seen = seen;
    this.#task = task;
  }

  /** The bytes since the last look, with their attempts. */
  *look(members: Iterable<Name>): Generator<{ readonly part: OutputPart; readonly bytes: Buffer }> {
    const parts = [...members].flatMap((member) => partsOf(this.#seen, member));
    for (const part of parts.filter(({ task }) => task === this.#task).sort(byBeginning)) {
      const key = `${part.member} ${part.file} ${part.from}`;
      for (;;) {
        const done = this.#read.get(key) ?? 0;
        const bytes = bytesOf(this.#seen.disk, part, done);
        if (bytes.length === 0) break;
        this.#read.set(key, done + bytes.length);
        yield { part, bytes };
      }
    }
  }
}

const byBeginning = (a: OutputPart, b: OutputPart): number => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);

/** What members had printed by a moment. */
interface OutputThen {
  /** The end of what parts that were over had printed, at most {@link MOST} bytes of each. */
  readonly printed: readonly { readonly member: Name; readonly claim: number; readonly bytes: Buffer }[];
  /** Parts that had begun and were not over: when their bytes were printed is recorded nowhere. */
  readonly open: readonly { readonly member: Name; readonly task: string; readonly at: string }[];
}

/**
 * Divides what members printed by a moment. The last part of an output ends when its file was last written.
 *
 * @param ms milliseconds since 1970
 * @param only parts of this task; undefined: all
 */
export function outputThen(seen: Seen, members: Iterable<Name>, ms: number, only?: string): OutputThen {
  const begun = [...members]
    .flatMap((member) => partsOf(seen, member))
    .filter(({ at, task }) => Date.parse(at) <= ms && (only === undefined || task === only))
    .sort(byBeginning);
  const isOver = ({ until, path }: OutputPart): boolean =>
    (until === undefined ? Math.floor(lookAt(seen.disk, path)?.mtimeMs ?? 0) : Date.parse(until)) <= ms;
  return {
    printed: begun
      .filter(isOver)
      .map((part) => ({ ...part, bytes: bytesOf(seen.disk, part, skipped(seen.disk, part)) })),
    open: begun.flatMap((part) => (part.task === undefined || isOver(part) ? [] : { ...part, task: part.task })),
  };
}

/** How many bytes of a long part come before the end that is shown. */
function skipped(disk: Disk, { path, from, to }: OutputPart): number {
  return Math.max(0, (to ?? lookAt(disk, path)?.size ?? 0) - from - MOST);
}

/** Most bytes of one read. */
const MOST = 1024 * 1024;

function bytesOf(disk: Disk, { path, file, from, to }: OutputPart, done: number): Buffer {
  const fd = openIfThere(disk, path, O_RDONLY);
  if (fd === undefined) return Buffer.alloc(0);
  return using(disk, fd, () => {
    const { ino, size } = disk.fstatSync(fd);
    // It was rotated since its name was read; the next look finds it under its new name.
    if (ino !== file) return Buffer.alloc(0);
    const room = Buffer.allocUnsafe(Math.max(0, Math.min(MOST, Math.min(to ?? size, size) - from - done)));
    return room.length === 0 ? room : room.subarray(0, disk.readSync(fd, room, 0, room.length, from + done));
  });
}
