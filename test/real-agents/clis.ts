/** The real CLIs: their versions, how each is pointed to the model server, and their known differences. */
import type { AgentSpec } from '../../src/model/agent/agent.ts';
import type { Cast } from '../agents/model-contract.ts';
import { installed } from '../hosts/install.ts';
import { PROGRAMS } from '../hosts/programs.ts';

export const REAL_CLIS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type RealCli = (typeof REAL_CLIS)[number];

/** Its program, installed if necessary. */
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

/** Milliseconds; longer than the slowest start. */
export const STALL_MS = 20_000;

const NO_STEERING = {
  mail: 'the protocol has no place for it in mid-turn',
  '429 then good': 'the protocol has no word for a retry',
} as const;

const MINUTE_MS = 60_000;

/** The observed differences of each from the contract suite. */
export const SEEN: Readonly<Record<RealCli, Partial<Cast>>> = {
  claude: { isWordy: true, makes: { tool: 'Write', input: { file_path: 'made', content: 'x' } } },
  codex: {
    isWordy: true,
    makes: { tool: 'exec_command', input: { cmd: 'touch made' } },
    // The team waits instead, with one pause for all members.
    cannot: { '429 then good': 'its own retries are off', 'cut then good': 'its own retries are off' },
    // It reports a stream without an end as a broken one.
    classes: { garbage: 'crashed' },
  },
  gemini: {
    isWordy: true,
    makes: { tool: 'write_file', input: { file_path: 'made', content: 'x' } },
    cannot: {
      ...NO_STEERING,
      'cut then good': 'it gives up when a stream is cut',
    },
    unknownBill: { 'bill of a broken turn': 'of a cancelled turn it tells nothing' },
    // It gives no status for these.
    classes: { 'no model': 'crashed', garbage: 'crashed' },
    // Its session file is named by the minute: a second incarnation in the same minute overwrites it and loses the
    // session.
    betweenLives: () => new Promise((resume) => setTimeout(resume, MINUTE_MS - (Date.now() % MINUTE_MS) + 1_000)),
  },
  opencode: {
    isWordy: true,
    titles: true,
    makes: { tool: 'bash', input: { command: 'touch made', description: 'makes it' } },
    unknownBill: {
      bill: 'of a turn it tells the last request only',
      'bill of a broken turn': 'of a cancelled turn it tells that nothing was used',
      'bill over a resume': 'of a turn it tells the last request only',
    },
    cannot: {
      ...NO_STEERING,
      overflow: 'it compacts by itself, again and again, until its turn is over by time',
    },
    // It retries in silence for longer than this suite waits.
    classes: {
      '529': 'timeout',
      '500': 'timeout',
      quota: 'timeout',
      cut: 'timeout',
      refused: 'timeout',
    },
  },
};
