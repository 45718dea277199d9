/** What the bench takes from the tests, bundled into bench/.build/postgres.mjs: a server of its own, and a pair. */
export { EnginePair } from '../../test/support/engine-pair.ts';
export { Networks } from '../../test/support/networks.ts';
export { hasPostgres, Postgres } from '../../test/support/postgres.ts';
