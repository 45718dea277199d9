/** What a program in its isolation sees that does not depend on the moment of its start: system, toolchains, login, repository. */
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { Lend } from '../../model/team/lend.ts';
import type { LentPath } from '../../policy/sandbox/lent-path.ts';
import { INSIDE, type ProgramSandbox } from '../../policy/sandbox/program-isolation.ts';
import { HIDDEN_NAMES } from '../../policy/sandbox/workspace-path.ts';
import { prlimitPath } from '../../os/mark-environment.ts';
import { keyPath } from '../../store/user/seal.ts';
import type { MemberPlace } from '../../store/workspace/member-place.ts';
import { repositoriesOf } from '../../store/workspace/repositories.ts';
import { entriesAt, linkAt, realPath } from '../../store/workspace/sandbox-host.ts';
import { binDirectory } from '../process/package.ts';
import { callFilterFile } from './bubblewrap.ts';
import { isBelow, lentPaths, secretsOf } from './lent-paths.ts';
import { lentToolchains } from './lent-toolchains.ts';

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** What programs need of /etc. Never whole: as root it would show keys and password hashes. */
const ETC = (
  'claude-code codex gemini-cli opencode ld.so.cache ld.so.conf ld.so.conf.d resolv.conf hosts host.conf gai.conf ' +
  'nsswitch.conf services protocols ssl/certs ssl/openssl.cnf ca-certificates ca-certificates.conf pki crypto-policies ' +
  'alternatives localtime timezone locale.conf locale.alias default/locale os-release lsb-release debian_version ' +
  'machine-id gitconfig mime.types terminfo inputrc profile profile.d bash.bashrc environment shells magic magic.mime ' +
  'fonts java-17-openjdk java maven perl python3 php opt'
).split(' ');

export type Grounds = Omit<
  ProgramSandbox,
  'shown' | 'kept' | 'handed' | 'closing' | 'inside' | 'isWritable' | 'isOffline'
>;

/** What of an isolation's options the grounds depend on. */
interface Asked {
  readonly ownHome?: string | undefined;
  readonly shared: readonly string[];
  readonly lend?: Lend | undefined;
  readonly team: readonly string[];
  readonly readable: readonly string[];
  readonly programs: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function groundsOf(
  { environment, team, shared, lend, readable, programs: named, ownHome }: Asked,
  { root, home, place }: { root: string; home: string; place: MemberPlace },
): Grounds {
  const secrets = secretsOf(environment, team);
  const programs = [process.execPath, ...named];
  const repositories = repositoriesOf(root).filter(
    (one) => ![home, dirname(keyPath(environment))].some((path) => isBelow(path, one)),
  );
  const toolchains = lentToolchains({ environment, home, root, secrets: [...secrets, root], programs });
  const at = (path: string): LentPath => ({ from: path, at: path });
  const around = [root, ...repositories].flatMap((one) => HIDDEN_NAMES.map((name) => `${one}/${name}`));
  const unlinked = around.filter((path) => linkAt(path) === undefined);
  // They may lie elsewhere in what is lent: below a folder, or behind a link.
  const elsewhere = entriesAt(secrets)
    .map(({ path }) => path)
    .filter((path) => [root, ...repositories].some((one) => isBelow(path, one)))
    .filter((path) => !unlinked.some((one) => isBelow(path, one)));
  return {
    root,
    home,
    ownHome: realPath(ownHome ?? place.home),
    links: SYSTEM.flatMap((path) => {
      const to = linkAt(path);
      return to === undefined ? [] : [{ to, at: path }];
    }),
    lent: [
      ...SYSTEM.filter((path) => linkAt(path) === undefined && entriesAt([path]).length > 0).map(at),
      ...etcBy(place),
      ...[...toolchains, ...readable.filter((path) => entriesAt([path]).length > 0 && !isBelow(home, path))].map(at),
      { from: join(binDirectory, 'inside'), at: INSIDE.client },
      { from: dirname(place.socket), at: INSIDE.sockets },
    ],
    shared: entriesAt(shared).map(({ path }) => path),
    lend: lentPaths(lend, { home, root, secrets }),
    repositories,
    hidden: [...unlinked, ...new Set(elsewhere)],
    isRoot: process.getuid?.() === 0,
    limiting: limits(),
    filter: callFilterFile(environment),
  };
}

/** These may change while the program runs. */
const LIVE: ReadonlySet<string> = new Set(['resolv.conf', 'hosts', 'localtime', 'machine-id']);

/** One directory with copies of small files, and only what is large, live or a directory as a mount: each takes time. */
function etcBy(place: MemberPlace): LentPath[] {
  const found = ETC.flatMap((name) => entriesAt([`/etc/${name}`]).map(({ isDirectory }) => ({ name, isDirectory })));
  const mounted = found.filter(
    ({ name, isDirectory }) => isDirectory || LIVE.has(name) || !place.copyEtc(name, `/etc/${name}`),
  );
  for (const { name, isDirectory } of mounted) place.reserveEtc(name, isDirectory);
  return [
    { from: place.etc, at: '/etc' },
    ...mounted.map(({ name }) => ({ from: `/etc/${name}`, at: `/etc/${name}` })),
  ];
}

/** Processes of the program and all that it starts; the system counts them only within its own user namespace. */
const MOST_PROCESSES = 4_096;
const MOST_FILE_BYTES = 64 * 2 ** 30;

function limits(): string[] {
  const prlimit = prlimitPath();
  return prlimit === undefined ? [] : [prlimit, `--nproc=${MOST_PROCESSES}`, `--fsize=${MOST_FILE_BYTES}`, '--'];
}
