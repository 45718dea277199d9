/**
 * What crosses machines with keys of their own: a machine does what a key signed that it was told, for exactly this team
 * and this record. The server of a store, and each role that writes to it, can put anything else there.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { realDisk } from '../../src/store/files/disk.ts';
import { newId } from '../../src/store/files/new-ids.ts';
import { vouchedText } from '../../src/model/board/vouched-commands.ts';
import { openSeal } from '../../src/store/user/seal.ts';
import { Signatures } from '../../src/store/user/signature.ts';
import { hasPostgres } from '../support/postgres.ts';
import { useStore } from '../support/store-scene.ts';
import { StoreUser } from '../support/store-user.ts';

interface Entry extends Record<string, unknown> {
  id: string;
  mac?: string;
  signature?: string;
}
const COMMANDS = [{ task: '1', run: 'touch ran', verify: [], env: {} }];
type Fields = Record<string, unknown> & { signature: string; team: string };

describe.skipIf(!hasPostgres)(
  'what the server of a store answers to a machine with a key of its own',
  {
    timeout: 120_000,
  },
  () => {
    const store = useStore();
    let a: StoreUser;
    let b: StoreUser;

    /** A team `login`, and a task of it whose command leaves a file where it runs. */
    async function madeTeam(name: string): Promise<void> {
      await a.ok('create', name, '--member', 'ada', '--store', store.url);
      await a.ok('task', 'create', name, 'Work', '--run', 'touch ran', '--store', store.url);
    }
    const server = async (text: string, values: unknown[] = []): Promise<Record<string, string>[]> => {
      const client = await store.engine.session('owner', store.database);
      try {
        return (await client.query<Record<string, string>>(text, values)).rows;
      } finally {
        await client.end();
      }
    };
    const idOf = async (name: string): Promise<string> =>
      (await server('select id from teams.team where name = $1', [name]))[0]?.['id'] ?? '';
    const configOf = async (name: string): Promise<string> =>
      (await server(`select body from teams.document where name = 'config' and team = $1`, [await idOf(name)]))[0]?.[
        'body'
      ] ?? '';
    const putConfig = async (body: string): Promise<unknown> =>
      server(`update teams.document set body = $1, revision = revision + 1 where name = 'config' and team = $2`, [
        body,
        await idOf('login'),
      ]);
    /** The record with the command, as the server has it. */
    const commandOf = async (name: string): Promise<Entry> => {
      const [row] = await server(`select line from teams.log where line like '%touch ran%' and team = $1`, [
        await idOf(name),
      ]);
      return JSON.parse(row?.['line'] ?? '') as Entry;
    };
    const putCommand = async (record: Entry): Promise<void> => {
      await server(`update teams.log set line = $1, id = $2 where line like '%touch ran%' and team = $3`, [
        JSON.stringify(record),
        record.id,
        await idOf('login'),
      ]);
    };
    const signaturesOf = ({ state }: StoreUser): Signatures =>
      new Signatures(openSeal(realDisk, join(state, 'teams', 'key')), realDisk, () => []);
    /** On the other machine, which is told the key of the first one. */
    const worker = () =>
      b.teams([
        'worker',
        'login',
        'ada',
        '--agent',
        'exec',
        '--idle-timeout',
        '500ms',
        '--store',
        store.url,
        '--trust',
        a.key,
      ]);
    const hasRun = (): boolean => existsSync(join(b.project, 'ran'));

    beforeEach(async () => {
      [a, b] = StoreUser.apart(store.place);
      await madeTeam('login');
    });

    it('runs as it was signed', async () => {
      const { code, err } = await worker();
      expect([code, hasRun()], err).toEqual([0, true]);
    });

    it.each<[string, (signed: Fields) => Promise<Fields> | Fields]>([
      ['with another agent', (signed) => ({ ...signed, members: [] })],
      ['without a signature', ({ signature: _, ...rest }) => rest as Fields],
      ['with half a signature', (signed) => ({ ...signed, signature: signed.signature.slice(0, 100) })],
      ['with the key alone', (signed) => ({ ...signed, signature: signed.signature.slice(0, 51) })],
      [
        'with the signature of a record',
        async (signed) => ({ ...signed, signature: (await commandOf('login')).signature ?? '' }),
      ],
      [
        'signed by another key under the name of the right one',
        (signed) => ({ ...signed, signature: a.key + signaturesOf(b).sign(signed).slice(a.key.length) }),
      ],
      [
        'signed by a key that nobody told it',
        (signed) => ({ ...signed, signature: signaturesOf(new StoreUser(store.place, 'c')).sign(signed) }),
      ],
    ])('starts nothing by a configuration %s', async (_, forged) => {
      await putConfig(JSON.stringify(await forged(JSON.parse(await configOf('login')) as Fields)));
      const { code, err } = await worker();
      expect([code, hasRun()], err).toEqual([4, false]);
      expect(err).toContain('not made by you');
      expect(err).not.toContain(`--trust ${a.key}`);
    });

    it('starts nothing by the configuration of another team that the right key signed', async () => {
      await madeTeam('other');
      await putConfig(await configOf('other'));
      const { code, err } = await worker();
      expect([code, hasRun()], err).toEqual([4, false]);
    });

    it('has its own machine refuse that configuration as well', async () => {
      await madeTeam('other');
      await putConfig(await configOf('other'));
      await expect
        .poll(() => a.file('.teams', 'login', 'config.json'), { timeout: 20_000 })
        .toContain('"name": "other"');
      expect((await a.teams(['worker', 'login', 'ada', '--agent', 'exec', '--store', store.url])).code).toBe(4);
    });

    it.each<[string, (record: Entry) => Promise<Entry> | Entry]>([
      [
        'with another command',
        (record) => JSON.parse(JSON.stringify(record).replace('touch ran', 'touch ran now')) as Entry,
      ],
      ['under another id', (record) => ({ ...record, id: newId(Date.now()) })],
      ['without a signature', ({ signature: _, ...rest }) => rest],
      ['with half a signature', (record) => ({ ...record, signature: record.signature?.slice(0, 80) ?? '' })],
      [
        'with a signature that is too long',
        (record) => ({ ...record, signature: `${record.signature ?? ''}${'A'.repeat(9_000)}` }),
      ],
      [
        'signed for another team by the right key',
        async (record) => {
          await madeTeam('other');
          return { ...record, ...(await commandOf('other')) };
        },
      ],
      [
        'signed by a key that the server has',
        async (record) => {
          const evil = signaturesOf(new StoreUser(store.place, 'c'));
          return { ...record, signature: evil.sign(vouchedText(await idOf('login'), record.id, COMMANDS)) };
        },
      ],
      [
        'signed by the machine that it is for, under its author',
        (record) => {
          const said = vouchedText('01J00000000000000000000000', record.id, []);
          return { ...record, signature: signaturesOf(b).sign(said) };
        },
      ],
      [
        'of a member, signed by a key that the server has',
        async (record) => {
          const author = { by: 'ada', inc: newId(Date.now()) };
          const evil = signaturesOf(new StoreUser(store.place, 'c'));
          return { ...record, author, signature: evil.sign(vouchedText(await idOf('login'), record.id, COMMANDS)) };
        },
      ],
    ])('runs no command of a record %s', async (_, forged) => {
      await putCommand(await forged(await commandOf('login')));
      const { code, err } = await worker();
      expect([code, hasRun()], err).toEqual([0, false]);
    });

    it('runs no command that a member wrote under the signature of the right key', async () => {
      const record = await commandOf('login');
      await putCommand({ ...record, author: { by: 'ada', inc: newId(Date.now()) } });
      expect((await worker()).code).toBe(0);
      expect([hasRun(), b.file('.tasks', 'login', 'log.jsonl').includes('"by":"ada"')]).toEqual([false, true]);
    });
  },
);
