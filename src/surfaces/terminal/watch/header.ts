/** The first and the last line of the dashboard: how far the run is, and which keys do something now. Pure. */
import { count, safeLine, safeText, type RunOutcome, type Spending } from '../../../app.ts';
import type { DashboardModel } from './dashboard-model.ts';
import { subjectOf, chosenRow } from './dashboard-rows.ts';
import { elapsed } from './panes.ts';
import { faint, GREEN, RED, widthOf, YELLOW, type Piece, type StyledLine } from './styled-line.ts';

const OUTCOME_LOOKS: Readonly<Record<RunOutcome, Pick<Piece, 'color' | 'bold'>>> = {
  running: { color: GREEN },
  waiting: { color: YELLOW, bold: true },
  succeeded: { color: GREEN, bold: true },
  failed: { color: RED, bold: true },
  interrupted: { color: YELLOW, bold: true },
  cancelled: { color: YELLOW, bold: true },
};

/** What matters most comes first, so that a narrow screen shows it. */
export function headerOf(look: DashboardModel, columns: number): StyledLine {
  const { team, snapshot, startedAt, endedAt, remaining } = look;
  const { outcome, lead, board, at } = snapshot;
  const { total, completed, failed, skipped, cancelled } = count(board);
  const questions = snapshot.problems.filter(({ request }) => request !== undefined).length;
  const line: Piece[] = [
    { text: safeLine(team), bold: true },
    { text: `  ${board.phase === 'paused' ? 'paused' : outcome}`, ...OUTCOME_LOOKS[outcome] },
    ...(columns < 70
      ? []
      : [{ text: '  ' }, ...bar({ total, completed, failed, given: skipped + cancelled }, columns)]),
    { text: `  ${completed}/${total} done` },
    ...(failed === 0 ? [] : [{ text: `  ${failed} failed`, color: RED, bold: true as const }]),
    ...(questions === 0
      ? []
      : [{ text: `  ${questions} ${questions === 1 ? 'waits' : 'wait'} for you`, color: YELLOW, bold: true as const }]),
    startedAt === undefined
      ? { text: '  reading the events…', dim: true as const }
      : { text: `  ${elapsed((endedAt ?? at) - startedAt)}` },
    ...(remaining === undefined ? [] : [{ text: `, ~${elapsed(remaining)} left`, dim: true as const }]),
  ];
  const more: readonly string[] = [
    ...costParts(look.spending.total),
    look.past === undefined && (outcome === 'running' || outcome === 'waiting')
      ? lead.alive
        ? lead.machine === undefined
          ? `led by pid ${lead.pid ?? 'unknown'}`
          : `led on ${lead.machine}`
        : 'no lead runs'
      : '',
  ];
  for (const text of more)
    if (text !== '' && widthOf(line) + text.length + 2 <= columns) line.push({ text: `  ${text}`, dim: true });
  return line;
}

interface Counted {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  /** Skipped and cancelled. */
  readonly given: number;
}

/** Signs as well as colours: `#` done, `!` failed, `-` given up, `.` left. */
function bar({ total, completed, failed, given }: Counted, columns: number): Piece[] {
  const width = columns < 100 ? 12 : 24;
  const part = (tasks: number): number =>
    total === 0 || tasks === 0 ? 0 : Math.max(1, Math.floor((tasks / total) * width));
  const lost = Math.min(width, part(failed));
  const gone = Math.min(width - lost, part(given));
  const done = Math.min(width - lost - gone, part(completed));
  return [
    { text: '[' },
    { text: '#'.repeat(done), color: GREEN },
    { text: '!'.repeat(lost), color: RED },
    { text: '-'.repeat(gone), dim: true },
    { text: '.'.repeat(width - done - lost - gone), dim: true },
    { text: ']' },
  ];
}

/** A price that is not known is called unknown, never 0. */
export const costText = ({ tokens, usd, unpriced, unknown }: Spending): string => {
  if (tokens === 0 && unknown.length === 0) return '';
  const isUnknown = unpriced.length > 0 || unknown.length > 0;
  if (usd === 0) return isUnknown ? 'cost unknown' : '';
  return `$${usd.toFixed(2)}${isUnknown ? ' + unknown' : ''}`;
};

const costParts = (total: Spending): string[] => [costText(total), total.tokens === 0 ? '' : `${total.tokens} tokens`];

/** Only keys that do something now, and only whole ones. */
export function footerOf(look: DashboardModel, columns: number): StyledLine {
  const { prompt, notice } = look.state;
  if (prompt)
    return [{ text: `${prompt.label}: `, bold: true }, { text: safeText(prompt.text) }, { text: ' ', inverse: true }];
  if (notice !== '') return [{ text: safeLine(notice), color: YELLOW }];
  if (look.ending !== undefined) return [{ text: look.ending, color: YELLOW, bold: true }];
  const last = '? help  q quit';
  let text = '';
  for (const hint of hintsOf(look)) {
    if (text.length + hint.length + 2 + last.length > columns) break;
    text += `${hint}  `;
  }
  return faint(text + last);
}

function hintsOf({ state, rows, snapshot, past }: DashboardModel): string[] {
  if (state.pane.kind === 'help') return ['esc back'];
  if (past) return ['left/right event', 'space play', '+ - speed', 'enter output', 'i inbox', 'f filter'];
  if (state.pane.kind !== 'team') return ['esc back', '/ search', 'n older', 'y copy', 'up/down scroll'];
  const row = rows[chosenRow(state, rows)];
  const asks = snapshot.problems.some(({ request }) => request !== undefined);
  const failed = snapshot.problems.some(({ kind }) => kind === 'failed' || kind === 'stuck');
  const isTask = subjectOf(row)?.kind === 'task';
  const isRequest = row?.kind === 'problem' && row.problem.request !== undefined;
  return [
    ...(asks ? ['a answer'] : []),
    ...(isRequest ? ['r refuse'] : isTask ? ['r retry'] : []),
    ...(failed ? ['R retry all'] : []),
    'enter output',
    ...(isTask ? ['x skip', 'd diff'] : ['s send', 'x stop']),
    'w why',
    ...(snapshot.board.phase === 'paused' ? ['P go on'] : []),
    'f filter',
    'i inbox',
    'p plain',
  ];
}
