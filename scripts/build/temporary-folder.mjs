import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a folder in the first place that can be written, as the program does at run time. Who calls it removes it.
 * @returns {{ folder: string } | { reason: string }} the reason is that of the first place, which a person can set
 */
export function makeTemporaryFolder(places = [tmpdir(), '/tmp']) {
  const reasons = [];
  for (const place of places)
    try {
      return { folder: mkdtempSync(join(place, 'teams-build-')) };
    } catch (error) {
      reasons.push(`${place}: ${error.code ?? error.message}`);
    }
  return { reason: reasons[0] };
}
