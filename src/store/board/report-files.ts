/** The final report as files: `report.md` for people, `report.json` for programs. Both can be rebuilt from the logs. */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { parseName } from '../../model/text/names.ts';
import { escapedJson, visibleText } from '../../model/text/safe-text.ts';
import { lookAt, type Disk } from '../files/disk.ts';
import { DOCUMENT_VERSION } from '../lock/document-reader.ts';
import { makeDirectory, readText, replaceFile } from '../files/file.ts';
import { archivePaths, rootPaths, type TeamPaths } from '../files/paths.ts';

export function writeReport(
  disk: Disk,
  paths: Pick<TeamPaths, 'reportText' | 'reportJson'>,
  text: string,
  data: object,
): void {
  const token = randomBytes(6).toString('hex');
  const json = escapedJson(JSON.stringify({ version: DOCUMENT_VERSION, ...data }, null, 2));
  replaceFile(disk, paths.reportText, `${visibleText(text)}\n`, token);
  replaceFile(disk, paths.reportJson, `${json}\n`, token);
}

/** A report that is larger is no history. */
const MOST_BYTES = 8 * 1024 * 1024;

const figure = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
const tasksSchema = z.looseObject({
  tasks: z.array(
    z.looseObject({
      status: z.string(),
      durationMs: figure.nullable(),
      work: z
        .object({
          role: z.string(),
          agent: z.string(),
          model: z.string().nullable(),
          size: z.enum(['small', 'medium', 'large']),
          turns: figure,
          tokens: figure,
          usd: figure.nullable(),
        })
        .nullish(),
    }),
  ),
});
type ReportedTask = z.infer<typeof tasksSchema>['tasks'][number];

/**
 * What the completed tasks of a kept report took. A report that cannot be read, or of an earlier version, tells nothing.
 */
export function tasksInReport(
  disk: Disk,
  { reportJson }: Pick<TeamPaths, 'reportJson'>,
): (NonNullable<ReportedTask['work']> & { readonly durationMs: number })[] {
  try {
    if ((lookAt(disk, reportJson)?.size ?? Infinity) > MOST_BYTES) return [];
    const parsed = tasksSchema.safeParse(JSON.parse(readText(disk, reportJson) ?? ''));
    if (!parsed.success) return [];
    return parsed.data.tasks.flatMap(({ status, durationMs, work }) =>
      work && durationMs !== null && status === 'completed' ? [{ ...work, durationMs }] : [],
    );
  } catch {
    return [];
  }
}

/**
 * Replaces the folder path at the end of a report after the folder was moved. A team that never ended a run has no
 * report.
 */
export function readdressReport(disk: Disk, from: string, to: TeamPaths): void {
  const token = randomBytes(6).toString('hex');
  for (const [file, before, after] of [
    [to.reportText, `\n${from}\n`, `\n${to.folder}\n`],
    [to.reportJson, `"folder": ${JSON.stringify(from)}`, `"folder": ${JSON.stringify(to.folder)}`],
  ] as const) {
    const text = readText(disk, file);
    const at = text?.lastIndexOf(before) ?? -1;
    if (text === undefined || at < 0) continue;
    replaceFile(disk, file, `${text.slice(0, at)}${after}${text.slice(at + before.length)}`, token);
  }
}

/** The name, in the archive, of a report without a team. */
const NO_TEAM = parseName('team', 'refine');

/**
 * Writes a report that belongs to no team into its own folder in the archive.
 *
 * @param at when it began, in ISO 8601
 * @returns the folder
 */
export function writeApart(disk: Disk, root: string, at: string, text: string, data: object): string {
  const { teams, archive } = rootPaths(root);
  const stamp = at.replaceAll(/[-:.]/g, '');
  for (let number = 1; ; number += 1) {
    const paths = archivePaths(root, NO_TEAM, number === 1 ? stamp : `${stamp}-${number}`);
    if (lookAt(disk, paths.folder)) continue;
    for (const directory of [teams, archive, paths.folder]) makeDirectory(disk, directory);
    writeReport(disk, paths, text, data);
    return paths.folder;
  }
}
