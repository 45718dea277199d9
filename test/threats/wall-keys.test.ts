/**
 * Behind the wall the home directory can be read, because builds there have no network and need its caches. What it has
 * of keys, logins, histories and browsers appears empty.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { openShellIsolation } from '../../src/runtime/isolation/open-shell-isolation.ts';
import { fencePlace } from '../support/fence.ts';

const KEYS = (
  '.pgpass .my.cnf .mylogin.cnf .cargo/credentials .cargo/credentials.toml .vault-token .git-credentials ' +
  '.config/git/credentials .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history ' +
  '.local/share/fish/fish_history .config/teams/config.yaml .local/state/teams/key .config/gh/hosts.yml ' +
  '.config/glab-cli/config.yml .config/hub .config/rclone/rclone.conf .s3cfg .boto .m2/settings.xml ' +
  '.m2/settings-security.xml .gradle/gradle.properties .composer/auth.json .config/composer/auth.json ' +
  '.terraform.d/credentials.tfrc.json .terraformrc .config/op/config .gem/credentials .local/share/gem/credentials ' +
  '.config/google-chrome/Default/Cookies .mozilla/x .var/app/x snap/firefox/x .fly/config.yml .config/sops/age/keys.txt ' +
  '.oci/config .kube/config .docker/config.json .config/containers/auth.json .netrc .authinfo .npmrc .yarnrc.yml ' +
  '.bunfig.toml .pypirc .config/pip/pip.conf .pip/pip.conf .env .env.local .claude.json .local/share/opencode/auth.json ' +
  '.local/share/keyrings/x .ssh/id .gnupg/x .wakatime.cfg .huggingface/token .cache/huggingface/token ' +
  '.config/github-copilot/hosts.json .jupyter/x .ivy2/.credentials .sbt/credentials .nuget/NuGet/NuGet.Config ' +
  '.vscode-server/x .databrickscfg .snowflake/config.toml .kaggle/kaggle.json .pulumi/credentials.json .sentryclirc ' +
  '.config/unheard-of/token named/token'
).split(' ');
const SEEN = (
  'notes .gitconfig .config/git/config .config/git/ignore .cargo/registry/x .cargo/bin/x .m2/repository/x .gradle/caches/x ' +
  '.cache/pip/x .local/lib/x .npm/x go/pkg/mod/x .config/nvm/versions/node/v1/bin/node'
).split(' ');

it('shows no key, login, history or browser of the home, and what builds need', async () => {
  const place = fencePlace();
  for (const file of [...KEYS, ...SEEN]) {
    mkdirSync(dirname(join(place.home, file)), { recursive: true });
    writeFileSync(join(place.home, file), 'of mine\n');
  }
  const environment = {
    ...place.environment,
    PATH: `${join(place.home, '.config/nvm/versions/node/v1/bin')}:${place.environment['PATH'] ?? ''}`,
    NVM_DIR: join(place.home, '.config/nvm'),
    GOOGLE_APPLICATION_CREDENTIALS: join(place.home, 'named/token'),
    DOCKER_CONFIG: place.home,
  };
  const look = ['/bin/sh', '-c', 'for f; do grep -qs "of mine" "$f" && echo "$f"; done', 'look', ...KEYS, ...SEEN];
  const found = ([file = '', ...args]: readonly string[]): string[] =>
    spawnSync(file, args, { cwd: place.home, encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } })
      .stdout.trim()
      .split('\n');
  expect(found(look)).toEqual([...KEYS, ...SEEN]);
  const { isolation, around } = await openShellIsolation({ setting: 'auto', root: place.work, environment });
  expect(isolation).toBe('up');
  const there = look.map((word, at) => (at < 4 ? word : join(place.home, word)));
  expect(found(around(place.work, true, there))).toEqual(SEEN.map((file) => join(place.home, file)));
});

/** What only root, or a group, reads on this machine. */
const SYSTEM_KEYS = (
  '/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/security/opasswd /etc/sudoers /etc/sudoers.d/README ' +
  '/etc/ssh/ssh_host_ed25519_key'
).split(' ');

it.runIf(process.getuid?.() === 0)('shows root no password hashes and no keys of the system', async () => {
  const place = fencePlace();
  const { environment } = place;
  const look = [
    '/bin/sh',
    '-c',
    'for f; do head -c 1 "$f" 2>/dev/null | grep -q . && echo "$f"; done',
    'look',
    ...SYSTEM_KEYS,
  ];
  const found = ([file = '', ...args]: readonly string[]): string =>
    spawnSync(file, args, { cwd: place.work, encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } }).stdout;
  expect(found(look)).toContain('/etc/shadow\n');
  const { around } = await openShellIsolation({ setting: 'auto', root: place.work, environment });
  expect(found(around(place.work, true, look))).toBe('');
});

const SOCKETS = (
  '.bitwarden-ssh-agent.sock .1password/agent.sock .colima/default/docker.sock .lima/x/sock/docker.sock ' +
  '.local/share/containers/podman/machine/api.sock .minikube/x.sock .docker/desktop/docker.sock ' +
  'named/agent.sock named/docker.sock named/podman.sock'
).split(' ');

/** Says which of the sockets, its arguments, answer. */
const CONNECT = `for (const path of process.argv.slice(1))
  require('node:net').connect(path).on('data', () => console.log(path)).on('error', () => {});`;

it('reaches no agent of keys and no engine of containers by a socket of the home', async () => {
  const place = fencePlace();
  const paths = SOCKETS.map((name) => join(place.home, name));
  for (const path of paths) {
    mkdirSync(dirname(path), { recursive: true });
    const server = createServer((client) => client.end('hello'));
    await new Promise<void>((done) => server.listen(path, done));
    onTestFinished(() => void server.close());
  }
  const environment = {
    ...place.environment,
    SSH_AUTH_SOCK: join(place.home, 'named/agent.sock'),
    DOCKER_HOST: `unix://${join(place.home, 'named/docker.sock')}`,
    CONTAINER_HOST: `unix://${join(place.home, 'named/podman.sock')}`,
  };
  const answering = async (argv: readonly string[]): Promise<string[]> => {
    const [file = '', ...args] = argv;
    const said = await text(spawn(file, args, { cwd: place.work, stdio: ['ignore', 'pipe', 'ignore'] }).stdout);
    return said.split('\n').filter(Boolean).sort();
  };
  const look = [process.execPath, '-e', CONNECT, ...paths];
  expect(await answering(look)).toEqual(paths.toSorted());
  const { isolation, around } = await openShellIsolation({ setting: 'auto', root: place.work, environment });
  expect(isolation).toBe('up');
  expect(await answering(around(place.work, true, look))).toEqual([]);

  const lend = { read: [], write: [], sockets: [environment.SSH_AUTH_SOCK] };
  const lending = await openShellIsolation({ setting: 'auto', root: place.work, environment, lend });
  expect(await answering(lending.around(place.work, true, look))).toEqual([environment.SSH_AUTH_SOCK]);
});
