/**
 * The configuration of a team in a replica. The store has it, with a revision; every machine has its text in `config.json`.
 * Who changes it says which text it was made from, and makes it anew if the store has another one by now.
 */
import { randomBytes } from 'node:crypto';
import type { EngineSession } from '../../store/engine/engine-session.ts';
import { lookAt, type Disk } from '../../store/files/disk.ts';
import { readText, replaceFile } from '../../store/files/file.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import type { ConfigChange } from '../../store/replica/relay-request.ts';

export interface Configuration {
  readonly revision: string;
  readonly body: string;
}

interface ConfigPlace {
  readonly disk: Disk;
  readonly paths: TeamPaths;
  /** Its id in the store. */
  readonly team: string;
}

/** @returns what the store has, which is here then */
export async function bringConfig(session: EngineSession, place: ConfigPlace): Promise<Configuration | undefined> {
  const known = await session.configuration(place.team);
  if (known !== undefined) putConfig(place, known.body);
  return known;
}

/** @returns whether it is changed; if not, the text of the store is here now */
export async function changeConfig(
  session: EngineSession,
  place: ConfigPlace,
  { before, next }: ConfigChange,
): Promise<boolean> {
  const known = await session.configuration(place.team);
  // The answer to the first try may be lost.
  const isWritten =
    known?.body === next ||
    (known?.body === before && (await session.configure(place.team, known.revision, next)) !== undefined);
  if (isWritten) putConfig(place, next);
  else await bringConfig(session, place);
  return isWritten;
}

/** Writes the text of the store here, if it is another one. */
export function putConfig({ disk, paths }: ConfigPlace, text: string): void {
  if (!lookAt(disk, paths.folder) || readText(disk, paths.config) === text) return;
  replaceFile(disk, paths.config, text, randomBytes(6).toString('hex'));
}
