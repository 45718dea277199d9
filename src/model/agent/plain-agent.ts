/** Reads agents, the rules for them and marks without their schemas, which stay the law (text/plain-fields.ts). */
import {
  bySchema,
  optional,
  plainAmount,
  plainCount,
  plainFlag,
  plainJsonObject,
  plainInteger,
  plainIntegerFrom,
  plainList,
  plainNumber,
  plainObject,
  plainRecord,
  plainText,
  plainTextOf,
  plainTextThat,
  plainWord,
  type DocumentForm,
  type PlainReader,
} from '../text/plain-fields.ts';
import { isAgentKind, type AgentKind } from './agent-kinds.ts';
import { agentSpecSchema, isEnvName, isModelName, isProcessText, TIERS, type AgentSpec } from './agent.ts';
import { agentRulesSchema, type AgentRules, type Price } from './models.ts';
import { plainIdentity } from './process-identity.ts';
import {
  BLOCK,
  isWithinOneBlock,
  markSchema,
  reaperMessageSchema,
  type Mark,
  type ReaperMessage,
} from './process-mark.ts';

const plainTier = plainWord(...TIERS);
const isTier = (text: string): boolean => plainTier(text) !== undefined;
const plainKind: PlainReader<AgentKind> = (value) =>
  typeof value === 'string' && isAgentKind(value) ? value : undefined;
const plainArgument = plainTextThat(isProcessText);
const plainArguments = plainList(plainArgument, 0, 1_000);

/** An agent in the form that commands are kept in. */
const plainAgent = plainObject<AgentSpec>({
  kind: plainKind,
  model: optional(plainTextThat(isModelName)),
  tier: optional(plainTier),
  args: optional(plainArguments),
  env: optional(plainRecord(plainArgument, isEnvName)),
  baseUrl: bySchema,
  shutdown: optional(plainWord('accept', 'ask')),
  options: optional(plainJsonObject),
  command: optional(plainList(plainArgument, 1, 1_000)),
});
export const agentForm: DocumentForm<AgentSpec> = { schema: () => agentSpecSchema, plain: plainAgent };

const plainFallback = plainList(plainAgent);
const plainModel = plainTextOf(200, 1);

const plainAgentRules = plainObject<AgentRules>({
  fallback: (value) => {
    const read = plainFallback(value);
    return read && Object.freeze(read);
  },
  models: plainRecord(plainRecord(plainModel, isTier), isAgentKind),
  defaultModel: plainTier,
  stallMs: optional(plainNumber),
  prices: optional(
    plainRecord(
      plainObject<Price>({
        input: plainAmount,
        output: plainAmount,
        cacheRead: optional(plainAmount),
        cacheWrite: optional(plainAmount),
      }),
    ),
  ),
  allowUnpriced: optional(plainFlag),
});
export const agentRulesForm: DocumentForm<AgentRules> = { schema: () => agentRulesSchema, plain: plainAgentRules };

const plainWords = plainTextThat((text) => text !== '');
const evidence = { id: plainWords, run: plainWords, since: plainCount, bootId: plainText };
const plainLimitMark = plainObject<Extract<Mark, { kind: 'limit' }>>({
  kind: plainWord('limit'),
  ...evidence,
  resource: plainWord('locks', 'msgqueue'),
  low: plainIntegerFrom(BLOCK.msgqueue),
  high: plainInteger,
  value: plainInteger,
});
const plainEnvironmentMark = plainObject<Extract<Mark, { kind: 'environment' }>>({
  kind: plainWord('environment'),
  ...evidence,
});

const plainMark: PlainReader<Mark> = (value) => {
  const limit = plainLimitMark(value);
  if (limit !== undefined) return isWithinOneBlock(limit) ? Object.freeze(limit) : undefined;
  const environment = plainEnvironmentMark(value);
  return environment && Object.freeze(environment);
};
export const markForm: DocumentForm<Mark> = { schema: () => markSchema, plain: plainMark };

type Added = Extract<ReaperMessage, { add: unknown }>;
const plainIdentities = plainList(plainObject<Added['pids'][number]>(plainIdentity));
const plainAdded = plainObject<Added>({
  add: plainMark,
  pids: (value) => {
    const read = plainIdentities(value);
    return read && Object.freeze(read);
  },
});
const plainRemoved = plainObject<Extract<ReaperMessage, { remove: unknown }>>({ remove: plainText });
const plainDone = plainObject<Extract<ReaperMessage, { done: unknown }>>({ done: plainWord(true) });
export const reaperMessageForm: DocumentForm<ReaperMessage> = {
  schema: () => reaperMessageSchema,
  plain: (value) => plainAdded(value) ?? plainRemoved(value) ?? plainDone(value),
};
