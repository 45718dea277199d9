/** The real CLIs: by which version, how each is led to the model server, and what is known of it. */
import type { AgentSpec } from '../../src/model/agent/agent.ts';
import type { Cast } from '../agents/model-contract.ts';
import { installed } from '../hosts/install.ts';
import { PROGRAMS } from '../hosts/programs.ts';

export const REAL_CLIS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type RealCli = (typeof REAL_CLIS)[number];

/** Its program, installed if it is not there. */
export function realCli(kind: RealCli): Promise<string> {
  const found = PROGRAMS.find(({ host }) => host === kind);
  if (found === undefined) throw new Error(`test/hosts pins no ${kind}.`);
  return installed(found.pinned, found.bin);
}

/** How a spec points it at the model server. */
export function reach(kind: RealCli, url: string): Partial<AgentSpec> {
  switch (kind) {
    case 'claude':
      return { baseUrl: url };
    case 'codex':
      return { baseUrl: `${url}/v1`, model: 'mock-model' };
    case 'gemini':
      return { baseUrl: url, model: 'gemini-2.5-pro' };
    case 'opencode':
      return { baseUrl: `${url}/v1`, model: 'mock-model' };
  }
}

export const environment = (home: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  ANTHROPIC_API_KEY: 'sk-ant-none',
  OPENAI_API_KEY: 'none',
  GEMINI_API_KEY: 'none',
  CLAUDE_CODE_MAX_RETRIES: '1',
});

/** Longer than the slowest of them needs to begin. */
export const STALL_MS = 20_000;

const NO_STEERING = {
  mail: 'the protocol has no place for it in mid-turn',
  '429 then good': 'the protocol has no word for a retry',
} as const;

const MINUTE_MS = 60_000;

/** What was seen of each, where it is not as the suite would have it. */
export const SEEN: Readonly<Record<RealCli, Partial<Cast>>> = {
  claude: { isWordy: true, makes: { tool: 'Write', input: { file_path: 'made', content: 'x' } } },
  codex: {
    isWordy: true,
    makes: { tool: 'exec_command', input: { cmd: 'touch made' } },
    // To it a stream without its end is a broken one.
    classes: { garbage: 'crashed' },
  },
  gemini: {
    isWordy: true,
    makes: { tool: 'write_file', input: { file_path: 'made', content: 'x' } },
    cannot: {
      ...NO_STEERING,
      'cut then good': 'it gives up when a stream is cut',
    },
    // It tells no status of these.
    classes: { 'no model': 'crashed', garbage: 'crashed' },
    // Its file of a session is named by the minute: a second life in the same minute begins it anew, and loses it.
    betweenLives: () => new Promise((resume) => setTimeout(resume, MINUTE_MS - (Date.now() % MINUTE_MS) + 1_000)),
  },
  opencode: {
    isWordy: true,
    titles: true,
    makes: { tool: 'bash', input: { command: 'touch made', description: 'makes it' } },
    cannot: {
      ...NO_STEERING,
      overflow: 'it compacts by itself, again and again, until its turn is over by time',
    },
    // It tries again in silence, for longer than this suite listens; of a model that is not there it tells no status.
    classes: {
      '529': 'timeout',
      '500': 'timeout',
      quota: 'timeout',
      cut: 'timeout',
      refused: 'timeout',
      'no model': 'bad_output',
    },
  },
};
