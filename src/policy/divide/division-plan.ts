/** A division of work as the plan file that it is carried out by: what a person could have written (SPEC §5a). */
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { Config } from '../../model/config/config.ts';
import type { Name } from '../../model/text/names.ts';
import type { RunSpec } from '../../model/plan/run-spec.ts';
import { mayWrite, type Division } from './decompose.ts';
import type { Staffing } from './staffing.ts';

export interface DividedRun {
  readonly name: Name;
  readonly task: string;
  readonly staffing: Staffing;
  /** Who planned; it leads as well, unless it is a command, which was written for planning. */
  readonly planner: AgentSpec;
  readonly config: Pick<Config, 'enableCascade' | 'enableCrossCliVerification' | 'envPass'>;
}

/** Failed attempts of a decomposed task that are forgiven (SPEC §5). */
const RETRIES = 1;

/** As it was typed: what a second run is compared by. */
export const specText = (spec: RunSpec): string =>
  spec.is === 'count' ? `${spec.count}:${spec.role}` : spec.is === 'template' ? spec.template : 'open';

/** @returns the value of the file, to be written as JSON */
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

/** Where nobody may change anything there is nothing to build, and nothing that another should verify. */
function gatesOf({ config }: DividedRun, isWriting: boolean) {
  return isWriting
    ? { build: true, test: true, lint: true, crossVerify: config.enableCrossCliVerification }
    : { crossVerify: false };
}
