/** Which teams can move between files and a store. */
import { configDocumentSchema } from '../../model/team/team-config.ts';
import { StoreError } from '../../model/text/errors.ts';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import type { Name } from '../../model/text/names.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

const HAS_TREES = 'has trees, and the repository with what its members made does not move yet';

/** @throws StoreError `UNTRUSTED`, `ENGINE_UNFIT` */
export function requireMovable(store: TeamStore): void {
  store.requireTrusted();
  const { profile } = store.board.fold();
  const { name } = store.paths;
  if (profile === 'pipeline') throw cannotMove(name, 'is a pipeline, which a store cannot have yet');
  if (profile === 'relay') throw cannotMove(name, 'is a refine loop, which a store cannot have yet');
  if (store.config.readOwn()?.isolation === 'trees') throw cannotMove(name, HAS_TREES);
}

/**
 * @param config the text of a team's configuration in its store
 * @throws StoreError `ENGINE_UNFIT`
 */
export function requireMovableConfig(name: Name, config = ''): void {
  const read = jsonAnswer(configDocumentSchema, config);
  if (read.ok && read.value.isolation === 'trees') throw cannotMove(name, HAS_TREES);
}

const cannotMove = (name: Name, why: string): StoreError =>
  new StoreError(
    'ENGINE_UNFIT',
    `Team ${name} ${why}: finish it where it is, and make a new team for what comes next.`,
  );
