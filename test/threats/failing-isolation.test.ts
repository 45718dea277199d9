/**
 * Isolation that works on the machine and fails in a workspace: members may have made it fail, so nothing runs there with
 * more rights for that. Where it works nowhere, it is said to be missing, as before.
 */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { findProgram } from '../../src/os/program-path.ts';
import { openJudging } from '../../src/runtime/isolation/judging-isolation.ts';
import { openShellIsolation } from '../../src/runtime/isolation/open-shell-isolation.ts';
import { name } from '../support/team.ts';
import { fencePlace, openFence, type FencePlace } from '../support/fence.ts';

const PATH = process.env['PATH'] ?? '';
const bwrap = findProgram('bwrap', PATH);

/** A place whose bubblewrap fails as it does when a file goes while it starts: for some command lines, so many times. */
function failing(pattern: (place: FencePlace) => string, times = 1_000): FencePlace {
  const place = fencePlace();
  const bin = join(place.base, 'bin');
  mkdirSync(bin);
  const counted = `n=$(cat "${bin}/n" 2>/dev/null || echo 0); [ "$n" -ge ${times} ] || { echo $((n + 1)) >"${bin}/n"; echo "bwrap: Can't find source path" >&2; exit 1; }`;
  const script = `#!/bin/sh\ncase "$*" in *"${pattern(place)}"*) ${counted};; esac\nexec ${bwrap ?? ''} "$@"\n`;
  writeFileSync(join(bin, 'bwrap'), script, { mode: 0o755 });
  return { ...place, environment: { ...place.environment, PATH: `${bin}:${PATH}` } };
}

const inWorkspace = ({ work }: FencePlace): string => realpathSync(work);
const rules = { setting: 'auto', sandbox: 'auto', network: false } as const;
const shell = ({ work, environment }: FencePlace) => openShellIsolation({ setting: 'auto', root: work, environment });
const judging = ({ work, environment }: FencePlace) =>
  openJudging({
    what: 'gate test',
    config: { members: [{ role: name('executor'), agent: { kind: 'exec' }, sandbox: 'workspace-write' }] },
    cwd: work,
    environment,
    rules,
  });

const KINDS: readonly [string, (place: FencePlace) => Promise<unknown>][] = [
  ['a program', openFence],
  ['a command', shell],
  ['what judges work', judging],
];

it.skipIf(bwrap === undefined).each(KINDS)(
  '%s does not run unheld where isolation fails in the workspace alone',
  async (_, open) => {
    await expect(open(failing(inWorkspace))).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: expect.stringMatching(
        /in this workspace, though isolation works on this machine: .*source path/,
      ) as string,
    });
  },
);

/** A place whose bubblewrap does not answer. */
function silent(): FencePlace {
  const place = fencePlace();
  const bin = join(place.base, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  return { ...place, environment: { ...place.environment, PATH: `${bin}:${PATH}` } };
}

async function gitOnTree({ work, environment }: FencePlace): Promise<unknown> {
  // A process in which bubblewrap worked once does not try it again.
  vi.resetModules();
  const { treeIsolation } = await import('../../src/runtime/process/tree-git.ts');
  const [vault, index] = [join(work, 'vault'), join(work, 'vault', 'index')];
  mkdirSync(vault);
  const tree = {
    tree: work,
    vault,
    index,
    program: '/usr/bin/git',
    environment: { PATH: environment['PATH'] ?? '' },
  };
  return treeIsolation({ ...tree, setting: () => Promise.resolve('') }, ['add', '-A']);
}

let unanswered: Promise<PromiseSettledResult<unknown>[]> | undefined;
/** What came of each where bubblewrap does not answer. They wait 20 s, all at once in the first test that asks. */
const whereSilent = (): Promise<PromiseSettledResult<unknown>[]> =>
  (unanswered ??= Promise.allSettled([gitOnTree, ...KINDS.map(([, open]) => open)].map((open) => open(silent()))));

it(
  'git on the tree of a member does not run unheld where bubblewrap does not answer',
  { timeout: 60_000 },
  async () => {
    const [held] = await whereSilent();
    expect(held).toEqual({ status: 'fulfilled', value: 'bubblewrap did not answer within 20 s' });
  },
);

it.each(KINDS.map(([what], at) => [what, at + 1] as const))(
  '%s does not run unheld where bubblewrap does not answer: a busy machine is none without isolation',
  { timeout: 60_000 },
  async (_, at) => {
    expect((await whereSilent())[at]).toMatchObject({
      status: 'rejected',
      reason: {
        code: 'AGENT_UNAVAILABLE',
        message: expect.stringMatching(/bubblewrap did not answer within 20 s/) as string,
      },
    });
  },
);

it.skipIf(bwrap === undefined).each(KINDS)('%s is isolated if that fails for a moment', async (_, open) => {
  const opened = await open(failing(inWorkspace, 2));
  expect(opened).toMatchObject(expect.not.objectContaining({ notEnforced: expect.anything() as unknown }) as object);
  expect(JSON.stringify(opened)).not.toContain('missing');
});

/** A place whose bubblewrap works until members have used up what each start of it needs. */
function exhaustible(): FencePlace & { readonly exhaust: () => void } {
  const place = fencePlace();
  const bin = join(place.base, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh\n[ -e "${bin}/none" ] || exec ${bwrap ?? ''} "$@"\necho "bwrap: Creating new namespace failed: No space left on device" >&2\nexit 1\n`;
  writeFileSync(join(bin, 'bwrap'), script, { mode: 0o755 });
  const environment = { ...place.environment, PATH: `${bin}:${PATH}` };
  return { ...place, environment, exhaust: () => writeFileSync(join(bin, 'none'), '') };
}

it
  .skipIf(bwrap === undefined)
  .each(KINDS.flatMap(([first, open]) => KINDS.map(([then, reopen]) => [then, first, open, reopen] as const)))(
  '%s does not run unheld once %s was isolated, if bubblewrap works nowhere any more',
  async (_, __, open, reopen) => {
    const place = exhaustible();
    await open(place);
    place.exhaust();
    await expect(reopen(place)).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: expect.stringMatching(
        /now, though isolation has worked since this machine started: .*No space/,
      ) as string,
    });
  },
);

it.skipIf(bwrap === undefined)('where it works nowhere it is missing, with the reason', async () => {
  const place = failing(() => '--');
  expect(await shell(place)).toMatchObject({
    isolation: 'missing',
    why: expect.stringContaining('source path') as string,
  });
  await expect(openFence(place)).rejects.not.toHaveProperty('code');
  expect(await judging(place)).toMatchObject({ isIsolated: false, notEnforced: { what: 'gate test' } });
});
