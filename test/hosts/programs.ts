/** How each real host is started without a network and without a question, with a model on the loopback. */
import { join } from 'node:path';
import type { McpHost } from '../../src/model/team/host-entry.ts';
import type { Workplace } from '../support/cli.ts';

export interface Start {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface HostProgram {
  readonly host: McpHost;
  /** The pinned package: on this Node npm may take an older release of some. */
  readonly pinned: string;
  readonly bin: string;
  /** The host's own configuration before ours is added. */
  readonly prepare: (place: Workplace, url: string) => void;
  readonly start: (place: Workplace, url: string, prompt: string) => Start;
}

const home = ({ root }: Workplace): string => join(root, 'home');

const claude: HostProgram = {
  host: 'claude',
  pinned: '@anthropic-ai/claude-code@2.1.332',
  bin: 'claude',
  prepare: () => {},
  start: (place, url, prompt) => ({
    args: [
      '-p',
      prompt,
      '--output-format',
      'stream-json',
      '--verbose',
      '--dangerously-skip-permissions',
      '--mcp-config',
      join(place.root, '.mcp.json'),
      '--strict-mcp-config',
    ],
    env: {
      CLAUDE_CONFIG_DIR: join(home(place), '.claude'),
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'sk-ant-none',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
    },
  }),
};

const codex: HostProgram = {
  host: 'codex',
  pinned: '@openai/codex@0.171.0',
  bin: 'codex',
  prepare(place, url) {
    place.put(
      'home/.codex/config.toml',
      `model = "mock-model"\nmodel_provider = "mock"\n\n[model_providers.mock]\nname = "mock"\nbase_url = "${url}/v1"\nenv_key = "MOCK_KEY"\nwire_api = "responses"\n\n[analytics]\nenabled = false\n`,
    );
  },
  // Its own sandbox stays on: our entry says that our tools need no approval.
  start: ({ root }, _url, prompt) => ({
    args: ['exec', '--json', '--skip-git-repo-check', '-C', root, '--disable', 'plugins', prompt],
    env: { MOCK_KEY: 'none' },
  }),
};

const gemini: HostProgram = {
  host: 'gemini',
  pinned: '@google/gemini-cli@0.61.0',
  bin: 'gemini',
  prepare(place) {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      general: { maxAttempts: 2, enableAutoUpdate: false, enableAutoUpdateNotification: false },
    };
    place.put('home/.gemini/settings.json', JSON.stringify(settings, undefined, 2));
  },
  // Without --yolo: our entry trusts our own server, and nothing else needs an approval.
  start: (_place, url, prompt) => ({
    args: ['-p', prompt, '-m', 'gemini-2.5-pro', '-o', 'stream-json', '--skip-trust'],
    env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_NO_RELAUNCH: 'true' },
  }),
};

const opencode: HostProgram = {
  host: 'opencode',
  pinned: 'opencode-ai@1.18.33',
  bin: 'opencode',
  prepare(place, url) {
    const models = { 'mock-model': { name: 'mock' }, 'mock-small': { name: 'small' } };
    const options = { baseURL: `${url}/v1`, apiKey: 'none' };
    const provider = { mock: { npm: '@ai-sdk/openai-compatible', name: 'Mock', options, models } };
    place.put(
      'opencode.json',
      JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        model: 'mock/mock-model',
        small_model: 'mock/mock-small',
        provider,
        permission: { '*': 'allow' },
      }),
    );
  },
  start: (place, _url, prompt) => ({
    args: ['run', '--format', 'json', prompt],
    env: {
      XDG_DATA_HOME: join(home(place), 'data'),
      XDG_CACHE_HOME: join(home(place), 'cache'),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
  }),
};

export const PROGRAMS: readonly HostProgram[] = [claude, codex, gemini, opencode];
