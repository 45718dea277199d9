/**
 * The configuration where no layer sets anything, as the schema gives it: most short processes have no other, and the
 * schema takes longer than all else that they do with it (docs/decisions/158).
 */
import { AUTO } from '../agent/agent.ts';
import { rankedBy } from '../agent/agent-kinds.ts';
import { DEFAULT_MAX_MEMBERS } from '../plan/plan-limits.ts';
import { parseName } from '../text/names.ts';
import type { Config } from './config.ts';

export const defaultConfig = (): Config => ({
  maxAgents: 5,
  hardCap: 5,
  maxMembers: DEFAULT_MAX_MEMBERS,
  defaultAgent: AUTO,
  fallback: [...rankedBy('fallbackRank')],
  defaultAgentType: parseName('role', 'executor'),
  defaultModel: 'sonnet',
  models: {},
  prices: {},
  budget: {},
  perDay: {},
  allowUnpriced: false,
  agents: {},
  monitorIntervalMs: 30_000,
  watchdogWarningMs: 300_000,
  watchdogReassignMs: 600_000,
  maxConsecutiveErrors: 3,
  agentStallMs: 300_000,
  enableCascade: true,
  cascadeDepth: 3,
  notify: 'auto',
  enableCrossCliVerification: true,
  lockTimeoutMs: 15_000,
  inboxMaxMessages: 10_000,
  inboxMaxBytes: 64 * 1024 * 1024,
  agentSendRate: 50,
  relayTimeoutMs: 600_000,
  routing: { byType: false },
  approvals: 'sandbox',
  isolation: 'auto',
  sandbox: { bwrap: 'auto', lend: { read: [], write: [], sockets: [] } },
  safetyPoint: { maxFileBytes: 50 * 1024 * 1024 },
  subscribers: {},
  hooks: {},
  gates: { build: true, test: true, lint: true, sandbox: 'auto', network: false },
  telemetry: 'off',
  envPass: [],
});
