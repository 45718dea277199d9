/** A disk that is full in each step of a change's life: told, nothing is lost, and the run goes on when there is room. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { BIN, Workplace } from '../support/cli.ts';
import { noSmallDisk, onSmallDisk } from '../support/small-disk.ts';
import { EXEC } from '../support/tree-scene.ts';

/**
 * In the folder of the project, on a small disk. `fill N` leaves N KiB; `told WORD` waits until the team's events have the
 * word; `hash` is the landed file.
 */
const SETUP = `
fill() { f="$BASE/disk/fill.$$.$1"; dd if=/dev/zero of="$f" bs=1k 2>/dev/null; s=$(stat -c %s "$f"); truncate -s $((s - $1 * 1024)) "$f"; }
free() { rm -f "$BASE"/disk/fill.*; }
told() { for n in $(seq 300); do grep -q "$1" .teams/p/events.jsonl 2>/dev/null && return; sleep 0.1; done; echo "never told: $1"; }
teams() { "$NODE" "$BIN" "$@"; }
landed() { git show "$(git for-each-ref --format='%(refname)' refs/teams | grep '/main$'):big.bin" | sha256sum | cut -c1-64; }
made() { cut -c1-64 <"$BASE/sum"; }
export BASE NODE BIN
mkdir -p disk/work && cd disk/work && git init -q
echo one >a.txt && cp "$BASE/p.json" . && git add -A && git -c user.name=me -c user.email=me@here commit -qm begin
`;
const BIG = 'head -c 1000000 /dev/urandom >big.bin; sha256sum big.bin >"$BASE/sum"';

async function onFull(plan: object, script: string): Promise<string> {
  const place = new Workplace();
  mkdirSync(join(place.root, 'disk'));
  const all = { name: 'p', isolation: 'trees', members: EXEC, envPass: ['BASE'], ...plan };
  writeFileSync(join(place.root, 'p.json'), JSON.stringify(all));
  const [file, ...argv] = onSmallDisk('disk', '24m', ['bash', '-c', `${SETUP}\n${script}`]);
  const env = { ...place.environment, BASE: place.root, NODE: process.execPath, BIN };
  const child = spawn(file, argv, { cwd: place.root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [out] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return out;
}

const RUN =
  'teams run p.json --quiet >"$BASE/out" 2>&1; code=$?; echo "code $code"; [ $code = 0 ] || tail -3 "$BASE/out" >&2';
const SAME = '[ "$(landed)" = "$(made)" ] && echo same; git fsck --no-dangling 2>&1 | grep -v "^notice" | head -3';
/** Another member would still start while the first one fills the disk. */
const ALONE = { members: EXEC.slice(0, 1) };
const FILL = 'f="$BASE/disk/fill.task"; dd if=/dev/zero of="$f" bs=1k 2>/dev/null; truncate -s -200K "$f"';

it.skipIf(noSmallDisk())(
  'where the repository of the team is made: the run is refused with the reason, and begins when there is room',
  async () => {
    const tasks = [{ subject: 'One', owner: 'ada', run: BIG }];
    // With more than that the run begins, and waits for room.
    for (const left of [0, 16]) {
      const out = await onFull(
        { tasks },
        `fill ${left}; ${RUN}; grep -c "free some space" "$BASE/out"; test -e "$BASE/sum" && echo begun; free; ${RUN.replace('run p.json', 'run p.json --fresh')}; ${SAME}`,
      );
      const [first, told, ...rest] = out.trim().split('\n');
      expect([left, first]).not.toEqual([left, 'code 0']);
      expect([left, Number(told) > 0, rest]).toEqual([left, true, ['code 0', 'same']]);
    }
  },
  120_000,
);

it.skipIf(noSmallDisk())(
  'where a change is kept: told and waited for, and the change lands',
  async () => {
    const tasks = [{ subject: 'One', owner: 'ada', run: `${BIG}; ${FILL}` }];
    const out = await onFull({ ...ALONE, tasks }, `(told disk.failed; free) & ${RUN}; wait; ${SAME}`);
    expect(out.trim().split('\n')).toEqual(['code 0', 'same']);
  },
  60_000,
);

it.skipIf(noSmallDisk())(
  'what git left of a full disk in the repository of the team is gone when the team is resumed',
  async () => {
    const tasks = [{ subject: 'One', owner: 'ada', run: `${BIG}; test -e "$BASE/again" || { ${FILL}; }` }];
    const halves = "find .teams/p/vault.git -name 'tmp_*'";
    const out = await onFull(
      { ...ALONE, tasks },
      `"$NODE" "$BIN" run p.json --quiet >"$BASE/out" 2>&1 & lead=$!; told disk.failed; kill -9 $lead; wait; ${halves} | grep -c tmp_obj; ${halves} -exec touch -d '1 minute ago' {} +; free; touch "$BASE/again"; ${RUN.replace('run p.json', 'resume p')}; ${halves}; ${SAME}`,
    );
    const [left, ...rest] = out.trim().split('\n');
    expect(Number(left)).toBeGreaterThan(0);
    expect(rest).toEqual(['code 0', 'same']);
  },
  60_000,
);

it.skipIf(noSmallDisk())(
  'where changes land: told and waited for, and what was kept lands',
  async () => {
    const tasks = [
      { subject: 'One', owner: 'ada', run: BIG },
      { subject: 'Two', owner: 'bob', run: 'seq 5 >two.txt' },
    ];
    const once = `test -e "$BASE/filled" || { touch "$BASE/filled"; dd if=/dev/zero of="$BASE/disk/fill.gate" bs=1k 2>/dev/null; }; true`;
    // Nothing can be written then, not even an event.
    const freed = 'until test -e "$BASE/filled"; do sleep 0.1; done; sleep 4; free';
    const out = await onFull(
      { tasks, gates: { test: once } },
      `(${freed}) & ${RUN}; wait; ${SAME}; grep -c "disk.failed\\|landing.failed" .teams/p/events.jsonl`,
    );
    const [code, same, told] = out.trim().split('\n');
    expect([code, same]).toEqual(['code 0', 'same']);
    expect(Number(told)).toBeGreaterThan(0);
  },
  60_000,
);

it.skipIf(noSmallDisk())(
  'where what landed is copied into the project: told, and the next apply makes up for it',
  async () => {
    // The first copy is made at once, the next one at the end.
    const tasks = [
      { subject: 'One', owner: 'ada', run: 'echo one >one.txt' },
      { subject: 'Two', owner: 'ada', run: BIG, blockedBy: [1] },
    ];
    const isolation = { mode: 'trees', setup: 'true', teardown: `${FILL}; truncate -s -100K "$f"` };
    const out = await onFull(
      { tasks, isolation },
      `${RUN}; grep -c "not yet in the project" .teams/p/events.jsonl; ls .git/objects/pack .git/objects | grep -c "^tmp_\\|keep$"; free; teams apply p >"$BASE/applied" 2>&1; echo "code $?"; ${SAME}; sha256sum big.bin | cut -c1-64 | grep -c "$(made)"`,
    );
    const [code, ...rest] = out.trim().split('\n');
    // What was copied in part is gone again, so there is room for the end of the run.
    expect(code).toBe('code 0');
    expect(rest).toEqual(['1', '0', 'code 0', 'same', '1']);
  },
  90_000,
);

it.skipIf(noSmallDisk())(
  'where it is applied: told, and the files are as they were; then it is applied',
  async () => {
    const tasks = [{ subject: 'One', owner: 'ada', run: `${BIG}; echo two >>a.txt` }];
    for (const left of [4, 64, 300]) {
      const out = await onFull(
        { tasks },
        `${RUN}; fill ${left}; teams apply p >"$BASE/applied" 2>&1; echo "code $?"; grep -o "free some space" "$BASE/applied" | wc -l; cat a.txt; ls big.bin 2>/dev/null; git --no-optional-locks status --short; free; teams apply p >/dev/null; echo "code $?"; tail -1 a.txt; ${SAME}`,
      );
      const lines = out.trim().split('\n');
      expect([left, lines[1]]).not.toEqual([left, 'code 0']);
      expect([left, Number(lines[2]), lines.slice(3)]).toEqual([left, 1, ['one', 'code 0', 'two', 'same']]);
    }
  },
  120_000,
);

it.runIf(noSmallDisk())('full disks are not tried here: no user may mount a file system', (context) => context.skip());
