/** The order of the test files: the longest begin first, so that no core waits for the last one at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Under test/, by their seconds; a file that mostly waits is next to one that mostly computes. */
export const LONGEST = [
  'store/simulation',
  'runtime/chaos',
  'store/aimed-kills',
  'agents/loop/models',
  'store/faults',
  'surfaces/mcp/life',

  'surfaces/cli/run',
  'surfaces/web/browser',
  'runtime/teammate/idle',
  'store/stress',
  'agents/programs/clis',
  'runtime/stress',

  'runtime/runs/refine/refine',
  'agents/programs/kept-agent',
  'surfaces/cli/refine',
  'runtime/runs/run',
  'runtime/runs/resume',
  'surfaces/cli/shapes',
  'threats/paths',
  'surfaces/cli/frame',
  'surfaces/mcp/calls',
  'surfaces/cli/task-run',
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
