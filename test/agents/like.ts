/** The programs that replace the real CLIs in tests, and a team's server that records what was sent through it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Server } from '../../src/agents/agent-contract.ts';

/** In a `bin`: what is beside it is lent to an isolated program. */
const FOLDER = join(import.meta.dirname, '../fixtures/cli-like/bin');

export const like = (kind: 'claude' | 'codex' | 'acp'): string[] => [
  process.execPath,
  join(FOLDER, `${kind}-like.mjs`),
];

const sentSchema = z.object({ content: z.string(), token: z.string().optional() });

interface TeamServer {
  readonly server: Server;
  readonly sent: () => z.infer<typeof sentSchema>[];
}

export const teamServer = (file: string): TeamServer => ({
  server: {
    command: process.execPath,
    args: [join(FOLDER, 'team-server.mjs'), file],
    env: { TEAMS_TOKEN: 'a-secret', TEAMS_MEMBER: 'ada' },
  },
  sent: () =>
    (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []).map((line) =>
      sentSchema.parse(JSON.parse(line)),
    ),
});
