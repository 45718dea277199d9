/** The order of the test files: the longest begin first, so that no core waits for the last one at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Under test/, by their seconds on a machine with much other work. Those that wait for leases, heartbeats and relays (host,
 * relay, MCP) are between those that compute (store).
 */
export const LONGEST = [
  'runtime/host/foreign-keys',
  'store/simulation',
  'runtime/host/host',
  'store/faults',
  'runtime/host/trees',
  'runtime/relay/shared-team',
  'e2e/landing-kills',
  'e2e/trees-needs',
  'e2e/trees-needs-isolated',
  'surfaces/mcp/life',
  'store/aimed-kills',
  'threats/hostile-store',
  'runtime/relay/relay',
  'e2e/trees-odd',
  'runtime/chaos',
  'runtime/relay/shared-day',
  'e2e/undo',
  'surfaces/cli/run',
  'surfaces/cli/store-verbs',
  'runtime/relay/migrate-kills',
  'surfaces/web/browser',
  'store/board/checkpoint/checkpoint',
  'runtime/relay/shared-mail',
  'agents/programs/clis',
  'surfaces/mcp/calls',
  'e2e/trees-review',
  'threats/paths',
  'runtime/relay/named-store',
  'store/stress',
  'runtime/trees/shared-commits',
  'surfaces/cli/shapes',
  'store/engine/engine-schema',
  'threats/wall',
  'e2e/up',
  'runtime/runs/refine/refine',
  'runtime/stress',
  'store/mail/inbox',
  'threats/copies',
  'surfaces/cli/refine',
  'runtime/relay/migrate-team',
  'agents/loop/models',
  'agents/programs/kept-agent',
  'runtime/runs/run',
  'runtime/runs/resume',
  'runtime/teammate/idle',
  'surfaces/cli/task-run',
  'surfaces/cli/frame',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at < 0 ? LONGEST.length : at;
};

const projectOf = ({ project }: TestSpecification): string => project.name;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Files of one project follow one another: a process that continues with the next one has already loaded our
    // modules.
    const sorted = (await super.sort(files)).sort((one, other) => projectOf(one).localeCompare(projectOf(other)));
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}
