/**
 * Where keys, logins, histories and profiles of browsers lie in a home directory, and sockets by which such keys sign, or
 * an engine of containers starts programs.
 */
import { withoutEnd } from '../../model/text/repeated-characters.ts';
import { KEY_PLACES } from './workspace-path.ts';

/** Relative to the home. Of `.config` all is hidden: what a program that nobody here knows keeps there may be a token. */
const HOME_KEYS: readonly string[] = [
  ...KEY_PLACES,
  ...(
    '.config .env .env.local .kube .docker .azure .oci .fly .terraform.d .terraformrc .pulumi .snowflake .databrickscfg ' +
    '.kaggle .huggingface .cache/huggingface/token .cache/huggingface/stored_tokens .jupyter .sentryclirc .wakatime.cfg ' +
    '.vault-token .s3cfg .boto .authinfo .authinfo.gpg .netrc.gpg .msmtprc .smbcredentials .subversion .hgrc ' +
    '.pgpass .my.cnf .mylogin.cnf .cargo/credentials .cargo/credentials.toml .m2/settings.xml .m2/settings-security.xml ' +
    '.gradle/gradle.properties .ivy2/.credentials .sbt/credentials .sbt/.credentials .composer/auth.json .gem/credentials ' +
    '.local/share/gem/credentials .bundle/config .nuget/NuGet .yarnrc .yarnrc.yml .bunfig.toml .pip .claude.json ' +
    '.local/share/opencode .local/share/keyrings .local/share/kwalletd .password-store .pki ' +
    '.bash_history .zsh_history .local/share/fish .python_history .node_repl_history .psql_history .mysql_history ' +
    '.sqlite_history .rediscli_history .lesshst .viminfo .Xauthority .ICEauthority ' +
    '.mozilla .thunderbird .var snap .vscode-server .cursor .electrum .bitcoin .ethereum ' +
    '.1password .bitwarden-ssh-agent.sock .lima .colima .minikube .rd .orbstack .local/share/containers/podman/machine'
  ).split(' '),
];

/** What may be read below them. */
export const KEYLESS: readonly string[] = ['.config/git/config', '.config/git/ignore', '.config/git/attributes'];

/** Variables that name such a file or directory. */
const VARIABLES: readonly string[] = [
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AZURE_CONFIG_DIR',
  'CLAUDE_CONFIG_DIR',
  'CLOUDSDK_CONFIG',
  'CODEX_HOME',
  'DOCKER_CONFIG',
  'GH_CONFIG_DIR',
  'GNUPGHOME',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'HISTFILE',
  'KUBECONFIG',
  'NETRC',
  'NPM_CONFIG_USERCONFIG',
  'PGPASSFILE',
  'SOPS_AGE_KEY_FILE',
  'TF_CLI_CONFIG_FILE',
];

/** Variables that name a socket, or the directory of sockets: as a path, or in an address such as `unix:///run/x.sock`. */
const SOCKETS: readonly string[] = [
  'CONTAINER_HOST',
  'DBUS_SESSION_BUS_ADDRESS',
  'DOCKER_HOST',
  'GPG_AGENT_INFO',
  'SSH_AUTH_SOCK',
  'TMUX',
  'XDG_RUNTIME_DIR',
];
/** Who may connect to these may do all that root may. */
const SYSTEM_SOCKETS: readonly string[] = [
  '/var/lib/incus/unix.socket',
  '/var/lib/lxd/unix.socket',
  '/var/snap/lxd/common/lxd/unix.socket',
];

/** Password hashes and keys of the system, which root reads without any capability. */
const SYSTEM_KEYS: readonly string[] = (
  'shadow shadow- gshadow gshadow- security/opasswd sudoers sudoers.d ssl/private krb5.keytab letsencrypt wireguard ' +
  'openvpn ipsec.secrets ppp NetworkManager/system-connections kubernetes rancher docker/certs.d ssh/ssh_host_rsa_key ' +
  'ssh/ssh_host_dsa_key ssh/ssh_host_ecdsa_key ssh/ssh_host_ed25519_key'
)
  .split(' ')
  .map((name) => `/etc/${name}`);

const ELSEWHERE = /^\/(?:dev|proc|sys|usr)(?:\/|$)/;

/** @returns absolute paths, which may be missing; none is the home, or around it */
export function keyPlaces(home: string, environment: Readonly<Record<string, string | undefined>>): string[] {
  const files = VARIABLES.flatMap((name) => (environment[name] ?? '').split(':'));
  const sockets = SOCKETS.flatMap((name) => (environment[name] ?? '').split(/[:=,]/)).map((path) =>
    path.replace(/^\/+/, '/'),
  );
  const named = [...files, ...sockets]
    .map((path) => withoutEnd(path, '/'))
    .filter((path) => path.startsWith('/') && !ELSEWHERE.test(path) && !`${home}/`.startsWith(`${path}/`));
  return [...HOME_KEYS.map((name) => `${home}/${name}`), ...SYSTEM_SOCKETS, ...SYSTEM_KEYS, ...named];
}
