/**
 * Which files of a team a web page may show: the team's record. Private files of members (homes with logins, tokens,
 * locks) are never shown, whatever their names.
 */

/** Paths relative to the team's own folder. */
const TEAM = [
  /^(?:events(?:\.[0-9]{16})?\.jsonl|state\.json|report\.(?:md|json))$/,
  /^[a-z0-9-]+_(?:history|inbox(?:\.bad|\.taken\.[0-9]+-[0-9A-Z]{26})?)\.jsonl$/,
  /^(?:logs|results|processes)\/[a-z0-9][a-z0-9.-]*$/,
  /^blobs\/[0-9a-f]{64}$/,
  /^(?:wisdom|spec|discussions|explorations|artifacts)(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/,
];

/** Paths relative to the board's folder. */
const BOARD = [/^log\.jsonl$/, /^[1-9][0-9]{0,14}\.json$/];

type FileArea = 'team' | 'board';

/**
 * @param place the folder
 * @param path relative to it, with `/`
 */
export const mayBeShown = (place: FileArea, path: string): boolean =>
  !path.split('/').includes('..') && (place === 'team' ? TEAM : BOARD).some((pattern) => pattern.test(path));
