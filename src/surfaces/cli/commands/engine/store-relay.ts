/** `teams store relay`: keeps a replica of the teams of a store in a folder of this machine, until it is interrupted. */
import * as z from 'zod';
import { realClock, serveReplica, shownAddress, UsageError } from '../../../../app.ts';
import { Interrupts } from '../../interrupts.ts';
import { duration, readOptions } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { givenRoot, rootOf } from '../../input/root.ts';
import type { Act } from '../../verb.ts';
import { storeAddress } from './store-address.ts';

const schema = z.object({ idle: duration });

export const act: Act = async (context, given) => {
  const { idle } = readOptions(schema, given);
  refuseMembers(context, 'run a relay');
  const address = storeAddress(context, given.words);
  if (givenRoot(context) === undefined)
    throw new UsageError(
      'USAGE',
      'Name the folder of the replica with --root: an empty one, or one that it made before.',
    );
  const root = rootOf(context);
  using interrupts = new Interrupts();
  await serveReplica(root, address, {
    clock: realClock,
    idleMs: idle,
    signal: AbortSignal.any([interrupts.stop, context.io.gone]),
    onServing: () => context.result({ store: shownAddress(address), root }, `The replica is in ${root}.`),
    tell: (text) => context.info(text),
  });
  return interrupts.code ?? 0;
};
