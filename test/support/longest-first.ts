/** The order of the test files: the longest begin first, so that no core waits for the last one at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that replace our modules by their own, or measure the memory of their process: each in its own process. */
export const ALONE = ['store/simulation', 'runtime/teammate/idle', 'store/mutants', 'store/mail/inbox'];

/** Under test/, by their seconds on a machine with other work, down to 20. */
const LONGEST = [
  'runtime/host/host',
  'runtime/host/cut-off',
  'threats/failing-isolation',
  'threats/permissions',
  'runtime/relay/migrate-kills',
  'runtime/relay/shared-team',
  'runtime/host/trees',
  'threats/signatures',
  'e2e/trees-disk',
  'e2e/undo-kills',
  'e2e/trees-pr',
  'runtime/runs/safety-point',
  'runtime/host/foreign-keys',
  'e2e/governor',
  'store/faults',
  'e2e/trees-odd',
  'threats/odd-homes',
  'e2e/apply-kills',
  'runtime/budget/run-budget',
  'e2e/undo',
  'runtime/relay/relay',
  'e2e/trees-pipeline',
  'surfaces/mcp/life',
  'threats/git-pipes',
  'threats/apply-races',
  'threats/git-place',
  'surfaces/cli/shapes',
  'store/engine/engine-schema',
  'e2e/trees',
  'e2e/trees-apply',
  'surfaces/cli/run',
  'store/aimed-kills',
  'threats/hostile-store',
  'e2e/landing-kills',
  'runtime/relay/shared-mail',
  'e2e/trees-needs',
  'agents/loop/models',
  'threats/odd-modes',
  'surfaces/web/browser',
  'surfaces/mcp/calls',
  'runtime/trees/shared-commits',
  'threats/text',
  'runtime/relay/take-from-engine',
  'runtime/chaos',
  'e2e/users-gc',
  'e2e/trees-undo',
  'agents/programs/clis',
  'surfaces/cli/served-verbs/verb-server',
  'surfaces/cli/prune',
  'runtime/runs/refine/refine',
  'threats/tree-races',
  'threats/programs',
  'surfaces/cli/frozen-terminal',
  'surfaces/acp/life',
  'e2e/trees-interference',
  'e2e/trees-asked',
  'e2e/after-the-end',
  'surfaces/mcp/trees',
  'e2e/trees-needs-isolated',
  'threats/trees',
  'threats/paths',
  'surfaces/cli/completion',
  'store/board/checkpoint/checkpoint',
  'runtime/relay/relay-rounds',
  'runtime/relay/named-store',
  'threats/sealed-elsewhere',
  'threats/seal',
  'surfaces/cli/store-verbs',
  'e2e/trees-review',
  'e2e/engine-faults',
  'e2e/approvals-answered',
  'threats/judged',
  'surfaces/mcp/http',
  'policy/governor',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at < 0 ? LONGEST.length : at;
};

/** By name: files of one project follow one another, since a process that goes on with the next has loaded our modules. */
const projectOf = ({ project }: TestSpecification): string => project.name;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => projectOf(one).localeCompare(projectOf(other)) || rank(one) - rank(other));
  }
}
