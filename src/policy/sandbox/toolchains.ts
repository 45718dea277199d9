/**
 * Which parts of the user's toolchains a program in its isolation may read. Families are known by their variable and
 * their place below the home directory; only the named parts are lent, since their roots hold credentials.
 */

interface Family {
  readonly variable: string;
  /** Below the home directory. */
  readonly place: string;
  /** Empty: all of it. */
  readonly parts: readonly string[];
}

const ENV_PARTS = ['bin', 'libexec', 'shims', 'versions', 'version', 'plugins', 'pyenv.d', 'rbenv.d'];
const SHIMS = ['bin', 'lib', 'shims', 'installs', 'plugins'];
const family = (variable: string, place: string, ...parts: readonly string[]): Family => ({ variable, place, parts });

export const FAMILIES: readonly Family[] = [
  family('NVM_DIR', '.nvm', 'nvm.sh', 'nvm-exec', 'alias', 'versions'),
  family('FNM_DIR', '.local/share/fnm', 'node-versions', 'aliases'),
  family('VOLTA_HOME', '.volta', 'bin', 'tools', 'layout.v4'),
  family('N_PREFIX', 'n', 'bin', 'lib', 'n/versions'),
  family('NPM_CONFIG_PREFIX', '.npm-global', 'bin', 'lib'),
  family('PNPM_HOME', '.local/share/pnpm'),
  family('BUN_INSTALL', '.bun', 'bin', 'install/global'),
  family('DENO_INSTALL', '.deno', 'bin'),
  family('PYENV_ROOT', '.pyenv', ...ENV_PARTS),
  family('RBENV_ROOT', '.rbenv', ...ENV_PARTS),
  family('CARGO_HOME', '.cargo', 'bin', 'env'),
  family('RUSTUP_HOME', '.rustup', 'toolchains', 'settings.toml'),
  family('GOROOT', 'sdk'),
  family('GOPATH', 'go', 'bin'),
  family('ASDF_DIR', '.asdf', ...SHIMS),
  family('ASDF_DATA_DIR', '.asdf', ...SHIMS),
  family('MISE_DATA_DIR', '.local/share/mise', 'shims', 'installs', 'plugins'),
  family('SDKMAN_DIR', '.sdkman', 'bin', 'candidates', 'libexec', 'etc/config'),
  family('UV_PYTHON_INSTALL_DIR', '.local/share/uv/python'),
  family('UV_TOOL_DIR', '.local/share/uv/tools'),
  family('PIPX_HOME', '.local/share/pipx', 'venvs', 'shared', 'py'),
  family('DOTNET_ROOT', '.dotnet'),
  family('OPAMROOT', '.opam'),
  family('GHCUP_INSTALL_BASE_PREFIX', '.ghcup', 'bin', 'ghc', 'cache'),
];
/** Toolchains that only a variable names, each lent as a whole. */
export const NAMED_WHOLE: readonly string[] = ['JAVA_HOME', 'CONDA_PREFIX', 'VIRTUAL_ENV'];
/** A used family brings another along. */
export const COMPANIONS: Readonly<Record<string, string>> = { CARGO_HOME: 'RUSTUP_HOME' };
/** Variables that name files of certificates. */
export const CERTIFICATES: readonly string[] = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'PIP_CERT',
];

/** Directories of the home that hold the things of many programs. They are never lent as a whole. */
const SHELVES: readonly string[] = [
  '.local',
  '.local/share',
  '.local/lib',
  '.local/state',
  '.config',
  '.cache',
  'bin',
  'opt',
  '.cargo',
  '.rustup',
];
const LOOKS_LIKE_KEYS =
  /(?:^|\/)(?:\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.vault-token|\.password-store|keyrings|credentials(?:\.[a-z]+)?|id_(?:rsa|dsa|ecdsa|ed25519))(?:\/|$)/;
const VERSIONED = /^.*?\/(?:versions|venvs|installs|candidates|toolchains|tools)\/[^/]+/;

const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);

/** The system's directories, which are lent in any case. */
export const isSystem = (path: string): boolean =>
  ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64'].some((one) => isBelow(path, one));

interface Limits {
  readonly home: string;
  /** Paths that nothing lent may contain: the key, the team, the workspace. */
  readonly secrets: readonly string[];
}

export function mayLend(path: string, { home, secrets }: Limits): boolean {
  if (!path.startsWith('/') || path.split('/').length < 3 || LOOKS_LIKE_KEYS.test(path)) return false;
  if (isBelow(home, path) || SHELVES.some((one) => path === `${home}/${one}`)) return false;
  return !secrets.some((secret) => isBelow(secret, path) || isBelow(path, secret));
}

/**
 * What must be lent with a file, from the largest that may be: all packages beside it, the version that it belongs to,
 * the directory above its `bin`, the file alone.
 */
export function packagesOf(file: string): string[] {
  const modules = file.indexOf('/node_modules/');
  const above = /^(.*)\/bin\/[^/]+$/.exec(file)?.[1];
  return [
    modules < 0 ? undefined : file.slice(0, modules + '/node_modules'.length),
    VERSIONED.exec(file)?.[0],
    above === '' ? undefined : above,
    file,
  ].flatMap((one) => one ?? []);
}

export const isLent = (path: string, lent: Iterable<string>): boolean => {
  for (const one of lent) if (isBelow(path, one)) return true;
  return false;
};
