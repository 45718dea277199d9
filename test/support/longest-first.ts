/** The order of the test files: the longest begin first, so that no core waits for the last one at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By the seconds that they take; one that mostly waits stands beside one that mostly counts. */
const LONGEST = [
  ...['store/simulation', 'runtime/chaos', 'store/aimed-kills', 'agents/models', 'store/faults', 'surfaces/mcp/life'],
  ...['surfaces/cli/run', 'surfaces/web/browser', 'runtime/idle', 'store/stress', 'agents/clis', 'runtime/stress'],
  ...['runtime/refine', 'agents/kept-agent', 'surfaces/cli/refine', 'runtime/run', 'runtime/resume'],
  ...['surfaces/cli/shapes', 'threats/paths', 'surfaces/cli/frame', 'surfaces/mcp/calls', 'surfaces/cli/task-run'],
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at < 0 ? LONGEST.length : at;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
