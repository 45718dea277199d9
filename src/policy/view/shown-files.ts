/**
 * Which files of a team a person may look at through a page: its record. What members keep for themselves (homes with
 * logins, tokens, locks) is nobody's to look at there, whatever it is called.
 */

/** Below the team's own folder. */
const TEAM = [
  /^(?:events\.jsonl|state\.json|report\.(?:md|json))$/,
  /^[a-z0-9-]+_(?:history|inbox(?:\.bad|\.taken\.[0-9]+-[0-9A-Z]{26})?)\.jsonl$/,
  /^(?:logs|results|processes)\/[a-z0-9][a-z0-9.-]*$/,
  /^blobs\/[0-9a-f]{64}$/,
  /^(?:wisdom|spec|discussions|explorations|artifacts)(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/,
];

/** Below its board's folder. */
const BOARD = [/^log\.jsonl$/, /^[1-9][0-9]{0,14}\.json$/];

export type FileArea = 'team' | 'board';

/** @param path relative to the place, with `/` */
export const mayBeShown = (place: FileArea, path: string): boolean =>
  !path.split('/').includes('..') && (place === 'team' ? TEAM : BOARD).some((pattern) => pattern.test(path));
