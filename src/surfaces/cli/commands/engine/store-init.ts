/** `teams store init`: makes the schema in a PostgreSQL database, and lets roles use it. */
import * as z from 'zod';
import { initEngine, ownPublicKey, parseEngineGrant, realClock, shownAddress } from '../../../../app.ts';
import { readOptions, texts } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import type { Act } from '../../verb.ts';
import { storeAddress } from './store-address.ts';

const schema = z.object({ grant: texts });

export const act: Act = async (context, given) => {
  const { grant } = readOptions(schema, given);
  refuseMembers(context, 'set up a store');
  const grants = grant.map(parseEngineGrant);
  const address = storeAddress(context, given.words);
  const { isNew, before, server } = await initEngine(address, grants, realClock);
  if (server.isSuperuser)
    context.warn('this role is a superuser of the engine: for teams, use a role that owns nothing but its database.');
  const store = shownAddress(address);
  const key = ownPublicKey();
  context.result(
    { store, isNew, before: before ?? null, roles: grants.map(({ role, only }) => ({ role, ...only })), key },
    [
      before === undefined
        ? `The schema "teams" ${isNew ? 'is' : 'was'} in ${store}${isNew ? '' : ' already'}.`
        : `The schema "teams" in ${store} had version ${String(before)} and is up to date now.`,
      ...grants.map(({ role, only }) =>
        only === undefined
          ? `Role ${role} may act for every member, as a host does.`
          : `Role ${role} may act as ${only.member} of team ${only.team}.`,
      ),
      `Your public key on this machine: ${key}. A machine with another state directory runs what is written here with:`,
      `  teams host --trust ${key}`,
    ].join('\n'),
  );
  return 0;
};
