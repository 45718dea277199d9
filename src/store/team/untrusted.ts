/** What a person is told about a team, or a command of it, that is not the user's. */
import { StoreError } from '../../model/text/errors.ts';
import type { TeamPaths } from '../files/paths.ts';
import { trustCure } from '../lock/document-reader.ts';

/** @param stranger the key that signed its configuration, if the user does not trust that key */
export const foreignTeam = ({ name, config }: TeamPaths, stranger: string | undefined): StoreError =>
  new StoreError(
    'UNTRUSTED',
    `Team ${name} was not made by you on this machine, so nothing is started from it (${config}); ${trustCure(name, stranger)}.`,
    { path: config },
  );

/** @param stranger the key that signed it, if the user does not trust that key */
export function foreignCommand({ name, log }: TeamPaths, what: string, stranger: string | undefined): StoreError {
  const cure =
    stranger === undefined ? `\`teams doctor --trust ${name}\` shows every such command` : trustCure(name, stranger);
  const why = `The command of ${what} of team ${name} was not given by you on this machine, so it does not run; ${cure}.`;
  return new StoreError('UNTRUSTED', why, { path: log });
}
