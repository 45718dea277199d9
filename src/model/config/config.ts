/**
 * Configuration as data (docs/specification.md R12.1): the keys, their defaults, and which values contradict each
 * other. `config-layers.ts` merges layers; callers decide which files are read.
 */
import * as z from 'zod';
import {
  agentSpecSchema,
  AUTO,
  commandSchema,
  envNameSchema,
  findAgent,
  tierSchema,
  unknownAgent,
  type AgentSpec,
} from '../agent/agent.ts';
import { rankedBy } from '../agent/agent-kinds.ts';
import { modelsSchema, priceSchema } from '../agent/models.ts';
import { DEFAULT_MAX_MEMBERS, MAX_MEMBERS } from '../plan/plan-limits.ts';
import { budgetSchema } from '../team/budget.ts';
import { eventPatternSchema } from '../team/hook-event.ts';
import { isolationSchema } from '../team/isolation.ts';
import { lendSchema } from '../team/lend.ts';
import { isTeamError } from '../text/errors.ts';
import { nameSchema } from '../text/names.ts';
import { closed } from '../text/document-problem.ts';
import { parseEngineAddress } from './engine-address.ts';

const count = (least: number, most: number) => z.number().int().min(least).max(most);
/** Milliseconds, up to the longest delay of a platform timer. */
const ms = (least: number) => count(least, 2 ** 31 - 1);
const agentName = z.string().min(1).max(64);

/** A command of the user; it gets the event on its stdin. */
const hook = commandSchema.optional();

/** The URL of a store on PostgreSQL, without a password. */
const storeSchema = z
  .string()
  .max(4_096)
  .check(({ value, issues }) => {
    try {
      parseEngineAddress(value, 'file');
    } catch (error) {
      if (!isTeamError(error)) throw error;
      issues.push({ code: 'custom', message: error.message, input: undefined });
    }
  });

const gate = z.union([z.boolean(), commandSchema]).default(true);

export const configSchema = closed({
  maxAgents: count(1, MAX_MEMBERS).default(5),
  hardCap: count(1, MAX_MEMBERS).default(5),
  maxMembers: count(1, MAX_MEMBERS).default(DEFAULT_MAX_MEMBERS),
  /** `auto`, a kind, or a name of `agents`. */
  defaultAgent: agentName.default(AUTO),
  fallback: z.array(agentName).max(32).default(rankedBy('fallbackRank')),
  /** The role of a member that names none. */
  defaultAgentType: nameSchema.prefault('executor'),
  defaultModel: tierSchema.default('sonnet'),
  /** Model names by kind and tier: `models: {openai: {haiku: …}}`. */
  models: modelsSchema.default({}),
  /** US dollars per million tokens, by model; they override the known prices. */
  prices: z.record(z.string().min(1).max(200), priceSchema).default({}),
  /** What a team may use whose plan has no budget. */
  budget: budgetSchema.prefault({}),
  /** What all teams of the user may use together in a day (UTC). */
  perDay: budgetSchema.prefault({}),
  /** A model without a price may work under a limit of cost; what it costs is then not counted. */
  allowUnpriced: z.boolean().default(false),
  agents: z.record(nameSchema, agentSpecSchema).default({}),
  monitorIntervalMs: ms(10).default(30_000),
  /** Absent: the profile's value applies. */
  shutdownTimeoutMs: ms(0).optional(),
  watchdogWarningMs: ms(1).default(300_000),
  watchdogReassignMs: ms(1).default(600_000),
  maxConsecutiveErrors: count(1, 1_000).default(3),
  /** A turn ends after this many milliseconds without any event of its agent. */
  agentStallMs: ms(1).default(300_000),
  enableCascade: z.boolean().default(true),
  cascadeDepth: count(0, 100).default(3),
  notify: z.enum(['auto', 'bell', 'off']).default('auto'),
  enableCrossCliVerification: z.boolean().default(true),
  lockTimeoutMs: ms(1).default(15_000),
  inboxMaxMessages: count(1, 10_000_000).default(10_000),
  inboxMaxBytes: count(1_024, 2 ** 40).default(64 * 1024 * 1024),
  /** Messages that one agent may send in one second. */
  agentSendRate: z.number().positive().max(1_000_000).default(50),
  relayTimeoutMs: ms(1).default(600_000),
  routing: closed({ byType: z.boolean().default(false) }).prefault({}),
  /** Whether a person is asked before a member's agent changes something, where a plan and its members do not say. */
  approvals: z.enum(['ask', 'sandbox']).default('sandbox'),
  /** Whether members work in trees of their own; `auto` counts for tasks in words. */
  isolation: isolationSchema.prefault('auto'),
  sandbox: closed({
    bwrap: z.enum(['auto', 'required', 'off']).default('auto'),
    lend: lendSchema.prefault({}),
  }).prefault({}),
  /** A larger untracked file is left out of the safety point. */
  safetyPoint: closed({ maxFileBytes: count(0, 2 ** 40).default(50 * 1024 * 1024) }).prefault({}),
  /** The store of the project's teams, which have members on several machines (docs/scale-out.md). */
  store: storeSchema.optional(),
  /** Commands by the events that they get: `task.failed`, `task.*`, `*`. */
  subscribers: z.record(eventPatternSchema, commandSchema).default({}),
  hooks: closed({ onTaskCompleted: hook, onTeammateIdle: hook, onWaiting: hook, onFinished: hook }).prefault({}),
  /**
   * The commands of gates whose plan names none: a command, `true` to detect it in the project, `false` for no gate.
   */
  gates: closed({
    build: gate,
    test: gate,
    lint: gate,
    /** Gates, `verify:` and hooks that may refuse: as the members that wrote what they run, or as the user. */
    sandbox: z.enum(['auto', 'off']).default('auto'),
    network: z.boolean().default(false),
  }).prefault({}),
  /** Where telemetry of a run is sent besides its files: nowhere, or to an OpenTelemetry collector. */
  telemetry: z.enum(['off', 'otlp']).default('off'),
  /** Names of variables that every teammate gets from its lead's environment. */
  envPass: z.array(envNameSchema).max(1_000).default([]),
});
export type Config = z.infer<typeof configSchema>;

type ConfigKey = keyof Config;

export const configKeys = (): readonly ConfigKey[] => configSchema.keyof().options;

/** Keys whose values are merged entry by entry: a layer may set one hook or one agent. */
export const GROUPS: ReadonlySet<string> = new Set([
  'models',
  'prices',
  'budget',
  'perDay',
  'agents',
  'routing',
  'sandbox',
  'safetyPoint',
  'hooks',
  'subscribers',
  'gates',
] satisfies ConfigKey[]);

/** The configured agents by name. */
export const configuredAgents = (config: Config): ReadonlyMap<string, AgentSpec> =>
  new Map(Object.entries(config.agents));

interface Contradiction {
  /** The keys that contradict each other, as in `origins`. */
  readonly keys: readonly string[];
  readonly text: string;
}

export function contradictions(config: Config): Contradiction[] {
  const { maxAgents, hardCap, maxMembers, watchdogWarningMs, watchdogReassignMs } = config;
  const known = configuredAgents(config);
  const unknown = (name: string): boolean => findAgent(name, known) === undefined;
  const chosen = config.defaultAgent === AUTO ? [] : [config.defaultAgent];
  const atMost = (keys: readonly [string, string], least: number, most: number): Contradiction[] =>
    least <= most ? [] : [{ keys, text: `"${keys[0]}" (${least}) is more than "${keys[1]}" (${most}).` }];
  return [
    ...atMost(['maxAgents', 'hardCap'], maxAgents, hardCap),
    ...atMost(['maxAgents', 'maxMembers'], maxAgents, maxMembers),
    ...(watchdogReassignMs > watchdogWarningMs
      ? []
      : [
          {
            keys: ['watchdogReassignMs', 'watchdogWarningMs'],
            text: `"watchdogReassignMs" (${watchdogReassignMs}) must be more than "watchdogWarningMs" (${watchdogWarningMs}).`,
          },
        ]),
    ...(known.has(AUTO)
      ? [
          {
            keys: [`agents.${AUTO}`],
            text: `No agent can have the name "${AUTO}", which means the first available agent.`,
          },
        ]
      : []),
    ...config.fallback.filter(unknown).map((name) => ({ keys: ['fallback'], text: unknownAgent(name, known) })),
    ...chosen.filter(unknown).map((name) => ({ keys: ['defaultAgent'], text: unknownAgent(name, known) })),
  ];
}
