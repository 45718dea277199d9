/** Writes a division of work as a plan file, the same kind that a person could write (docs/specification.md R4.1). */
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { Config } from '../../model/config/config.ts';
import type { Name } from '../../model/text/names.ts';
import type { RunSpec } from '../../model/plan/run-spec.ts';
import { mayWrite, type Division } from './decompose.ts';
import type { Staffing } from './staffing.ts';

interface DividedRun {
  readonly name: Name;
  readonly task: string;
  readonly staffing: Staffing;
  /** The agent that planned. It also leads, unless it is a command: that command was written for planning only. */
  readonly planner: AgentSpec;
  readonly config: Pick<Config, 'enableCascade' | 'enableCrossCliVerification' | 'envPass'>;
}

/** Failed attempts of a decomposed task that lead to a retry (docs/specification.md R3.7). */
const RETRIES = 1;

/** The spec as the user typed it; a second run is compared by it. */
export const specText = (spec: RunSpec): string =>
  spec.kind === 'count' ? `${spec.count}:${spec.role}` : spec.kind === 'template' ? spec.template : 'open';

/** @returns the content of the file, to be written as JSON */
export function planOfDivision({ workers, tasks, shared, boundary }: Division, run: DividedRun) {
  const { name, task, staffing, planner, config } = run;
  const { spec, template, roles } = staffing;
  return {
    name,
    profile: 'forge',
    members: workers.map(({ name: member, role, agent }) => {
      const known = roles.get(role);
      const prompt = known?.prompt ?? '';
      const sandbox = known?.readOnly === true ? { sandbox: 'read-only' } : {};
      return { name: member, role, agent, ...sandbox, ...(prompt === '' ? {} : { prompt }) };
    }),
    tasks: tasks.map(({ subject, description, acceptance, files, dependencies, owner }) => ({
      subject,
      description,
      owner: owner.name,
      tier: owner.tier,
      acceptance,
      retries: RETRIES,
      files,
      blockedBy: dependencies.map(({ on }) => on + 1),
    })),
    gates: gatesOf(run, tasks.some(mayWrite)),
    cascade: config.enableCascade && (template?.cascade ?? true),
    sharedFiles: shared,
    envPass: config.envPass,
    ...(planner.kind === 'exec' ? {} : { lead: planner }),
    decomposed: {
      task,
      spec: specText(spec),
      template: template?.name ?? 'custom',
      boundaryFiles: boundary.map(({ file, owner }) => ({ file, owner: owner.name })),
    },
  };
}

/** If no task may change files, there is nothing to build and nothing to verify. */
function gatesOf({ config }: DividedRun, isWriting: boolean) {
  return isWriting
    ? { build: true, test: true, lint: true, crossVerify: config.enableCrossCliVerification }
    : { crossVerify: false };
}
