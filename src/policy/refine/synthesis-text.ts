/** The synthesis as text (docs/specification.md R9.11): always all five parts, then the result itself. */
import type { Synthesis, SynthesisRound } from './synthesis.ts';

/** The text without a final newline. */
export function synthesisText(synthesis: Synthesis): string {
  const { notes, result, resultFrom } = synthesis;
  const sections = [
    [heading(synthesis)],
    ['Accomplished:', `  ${oneLine(synthesis.accomplished)}`],
    ['Backends:', ...synthesis.contributions.map(({ backend, what }) => `  ${backend}: ${oneLine(what)}`)],
    [`Rounds: ${roundCount(synthesis)}`, ...synthesis.rounds.flatMap(roundLines)],
    convergence(synthesis),
    [`Sandbox: ${oneLine(synthesis.sandboxNote)}`],
    notes.length === 0 ? [] : ['Notes:', ...notes.map((note) => `  - ${oneLine(note)}`)],
    result === null || result.trim() === ''
      ? []
      : [`Result (${resultFrom?.backend ?? ''}, round ${resultFrom?.round ?? ''}):`, '', result.trimEnd()],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

const HEADINGS: Readonly<Record<Synthesis['ending'], string>> = {
  converged: 'REFINE CONVERGED',
  cap: 'REFINE STOPPED',
  backends: 'REFINE STOPPED',
  reviewer: 'REFINE STOPPED',
  interrupted: 'REFINE INTERRUPTED',
  error: 'REFINE FAILED',
};

const heading = ({ ending, task, result }: Synthesis): string =>
  `${ending === 'backends' && result === null ? 'REFINE FAILED' : HEADINGS[ending]}: ${oneLine(task)}`;

function roundCount({ ending, rounds, maxRounds }: Synthesis): string {
  const count = `${rounds.length} ${rounds.length === 1 ? 'round' : 'rounds'}`;
  switch (ending) {
    case 'converged':
      return `Converged in ${count} (of at most ${maxRounds}).`;
    case 'cap':
      return `Forced stop after ${count}, the most that were allowed.`;
    case 'backends':
      return `Stopped after ${count} of ${maxRounds}: every backend failed permanently.`;
    case 'reviewer':
      return `Stopped after ${count} of ${maxRounds}: no reviewer was available.`;
    case 'interrupted':
      return `Interrupted after ${count} of ${maxRounds}.`;
    case 'error':
      return `Ended by a failure after ${count} of ${maxRounds}.`;
  }
}

const WORDS: Readonly<Record<NonNullable<SynthesisRound['verdict']>, string>> = {
  pass: 'passed',
  issues: 'has issues',
  unreadable: 'unreadable verdict',
  none: 'not reviewed',
};

function roundLines({ n, backends, verdict, findings, validation, agreement, rationale }: SynthesisRound): string[] {
  const who = backends.map(({ name, outcome }) => `${name} ${outcome}`).join(', ');
  const said = verdict === null ? 'no result' : WORDS[verdict];
  const found = findings.length === 0 ? '' : ` (${findings.length} ${findings.length === 1 ? 'finding' : 'findings'})`;
  const checked = validation === undefined ? '' : ` | ${validation.command}: ${oneLine(validation.message)}`;
  const lines = [`  ${n}: ${who} | ${said}${found}${checked}`];
  if (agreement !== undefined)
    lines.push(
      `     ${agreement === 'alike' ? 'each result was judged by itself' : 'the verdicts differ'}: ${oneLine(rationale ?? '')}`,
    );
  return lines;
}

function convergence({ converged, unresolved }: Synthesis): string[] {
  if (converged) return ['Convergence: all rubric items passed, for every deliverable.'];
  return ['Convergence: no. Unresolved:', ...unresolved.map((text) => `  - ${oneLine(text)}`)];
}

const LONGEST_LINE = 400;

function oneLine(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= LONGEST_LINE ? flat : `${flat.slice(0, LONGEST_LINE)}…`;
}
