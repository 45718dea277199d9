/** The final report as files: `report.md` for people, `report.json` for programs. Both can be rebuilt from the logs. */
import { randomBytes } from 'node:crypto';
import type { Disk } from './disk.ts';
import { DOCUMENT_VERSION } from './document.ts';
import { replaceFile } from './file.ts';
import type { TeamPaths } from './paths.ts';

export function writeReport(disk: Disk, paths: TeamPaths, text: string, data: object): void {
  const token = randomBytes(6).toString('hex');
  replaceFile(disk, paths.reportText, `${text}\n`, token);
  replaceFile(disk, paths.reportJson, `${JSON.stringify({ version: DOCUMENT_VERSION, ...data }, null, 2)}\n`, token);
}
