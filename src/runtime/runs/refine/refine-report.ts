/** The synthesis and the report of its team as one value, which is also kept in files. */
import { NOTHING_SPENT } from '../../../model/team/spending-sum.ts';
import type { Validation } from '../../../model/pipeline/round.ts';
import type { Gate } from '../../../model/run/run-state.ts';
import type { Synthesis } from '../../../policy/refine/synthesis.ts';
import { synthesisText } from '../../../policy/refine/synthesis-text.ts';
import { realDisk } from '../../../store/files/disk.ts';
import { teamPaths, type TeamPaths } from '../../../store/files/paths.ts';
import { writeApart, writeReport } from '../../../store/board/report-files.ts';
import { openForReading } from '../../../store/team/team-reader.ts';
import { reportOf } from '../../views/report.ts';
import type { Report } from '../../views/report-text.ts';
import type { RefinePlace } from './refine-setup.ts';

/** What a refine does not have of a report. */
type Without = 'folder' | 'notes' | 'undo' | 'shared' | 'headline' | 'failures' | 'roles';

export type RefineReport = Omit<Report, 'team' | Without> &
  Synthesis & {
    /** The team that worked; null when the backends were asked directly. */
    readonly team: Report['team'] | null;
    /** The folder of its files; null if they could not be written. */
    readonly folder: string | null;
    /** The synthesis as text; its last line is the folder. */
    readonly text: string;
  };

interface SynthesisRecord {
  /** Where the team's record is; undefined if there was no team. */
  readonly record: TeamPaths | undefined;
  readonly validated: Validation | undefined;
  readonly durationMs: number;
  readonly begunAt: string;
}

export function keepSynthesis(synthesis: Synthesis, place: RefinePlace, kept: SynthesisRecord): RefineReport {
  const exitCode = synthesis.converged ? 0 : 1;
  const base = baseReport(place, kept, exitCode);
  const outcome = synthesis.converged ? 'succeeded' : synthesis.ending === 'interrupted' ? 'interrupted' : 'failed';
  const report = { ...base, ...synthesis, outcome, exitCode, durationMs: Math.round(kept.durationMs) } as const;
  const apply = report.apply === undefined ? '' : `\n\nApply: ${report.apply.command}`;
  const text = `${synthesisText(synthesis)}${apply}`;
  try {
    const folder = write(text, report, place, kept);
    return { ...report, folder, text: `${text}\n\n${folder}` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...report, folder: null, text: `${text}\n\nIt could not be written to a file: ${why}` };
  }
}

function write(
  text: string,
  report: object,
  { open, session }: RefinePlace,
  { record, begunAt }: SynthesisRecord,
): string {
  const disk = session.store.disk ?? realDisk;
  if (record === undefined) return writeApart(disk, open.root, begunAt, text, report);
  writeReport(disk, record, text, report);
  return record.folder;
}

type Base = Omit<Report, 'team' | 'folder' | 'notes' | 'undo' | 'shared' | 'headline' | 'failures' | 'roles'> &
  Pick<RefineReport, 'team'>;

/** The report from the team's logs; without a team the same shape without contents. */
function baseReport(place: RefinePlace, { record, validated }: SynthesisRecord, exitCode: number): Base {
  const gates: Gate[] =
    validated === undefined
      ? []
      : [{ name: 'test', result: validated.passed ? 'pass' : 'fail', notes: validated.command }];
  if (record === undefined) return { ...NO_TEAM, gates: { ...NO_TEAM.gates, test: gates[0]?.result ?? 'skipped' } };
  const reader = openForReading(record, { clock: place.session.store.clock });
  try {
    const {
      folder: _,
      notes: __,
      undo: ___,
      shared: ____,
      headline: _____,
      failures: ______,
      roles: _______,
      apply,
      ...report
    } = reportOf(reader, { gates, exitCode, prices: place.session.prices });
    // A team of which nothing landed is archived.
    const isArchived = record.folder !== teamPaths(record.root, record.name).folder;
    return apply === undefined || isArchived ? report : { ...report, apply };
  } finally {
    reader.close();
  }
}

const NO_TEAM: Base = {
  team: null,
  template: 'refine',
  outcome: 'failed',
  durationMs: 0,
  members: [],
  tasks: [],
  notEnforced: [],
  gates: { build: 'skipped', test: 'skipped', crossVerify: 'skipped' },
  cascade: null,
  verification: null,
  spending: NOTHING_SPENT,
  estimate: null,
  exitCode: 1,
};
