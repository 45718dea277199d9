/** The disk of a folder is full at some step of a move: the team is on one side, and the verb says on which. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BIN } from '../../support/cli.ts';
import { storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { noSmallDisk, onSmallDisk } from '../../support/small-disk.ts';

/** Blocks of 4 KiB that are left at the last try: a move needs fewer. */
const MOST = 24;

/**
 * Moves with more and more blocks left, until it is done. Printed for each: what the move says, what it leaves on its way, and
 * where the team is.
 */
const SCRIPT = `
cd disk
teams() { "$NODE" "$BIN" "$@" --root . 2>&1; }
teams create login --member ada --quiet
teams send login ada "$(printf 'x%.0s' $(seq 3000))" --quiet
tries() {
  for left in $(seq 0 ${String(MOST)}); do
    dd if=/dev/zero of=fill bs=4k status=none 2> /dev/null
    truncate -s -$((left * 4096)) fill
    echo "## $(teams migrate login "$@")"
    echo "left: $(ls .teams/.moves/login 2>/dev/null | tr '\\n' ' ')"
    rm fill
    test -e .teams/.moves/login && teams list
    test -e .teams/login && at=files || at=store
    echo "in: $at"
    [ $at = $TO ] && break
  done
}
TO=store tries --to "$URL"
TO=files tries --to files --from "$URL"
echo "## $(teams inbox login ada --json)"
`;

let engine: Postgres;
beforeAll(async () => {
  engine = await Postgres.start();
});
afterAll(() => engine.stop());

it.skipIf(!hasPostgres || noSmallDisk())(
  'a move that a full disk cuts short says where the team is, leaves no draft on that disk, and loses nothing',
  { timeout: 240_000 },
  async () => {
    const { place, database } = await storePlace(engine);
    mkdirSync(join(place.root, 'disk'));
    const [file, ...argv] = onSmallDisk('disk', '1m', ['bash', '-c', SCRIPT]);
    const url = engine.url('owner', database);
    const env = { ...place.environment, TEAMS_STORE: '', URL: url, NODE: process.execPath, BIN };
    const child = spawn(file, argv, { cwd: place.root, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [out] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const tries = out.split(/^## /m).slice(1);
    const inbox = tries.pop();
    expect(inbox, out).toContain('xxx');
    expect(tries.at(-1), out).toContain('in: files');
    for (const one of tries) {
      const at = one.includes('in: files') ? join(place.root, 'disk') : url;
      const said = one.slice(0, one.indexOf('\n'));
      // Before it has begun, it names the file that it could not write.
      if (/left: move/.test(one))
        expect(said).toMatch(new RegExp(`^teams: Team login (?:has moved to|stays in) ${at}`));
      if (one.includes('in: store')) expect(one).not.toMatch(/left: .*tasks/);
    }
    expect(
      tries.filter((one) => one.includes('left: move')),
      out,
    ).not.toEqual([]);
  },
);
