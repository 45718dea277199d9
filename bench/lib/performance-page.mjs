/** Writes docs/performance.md and its pictures from a result of the bench: what is promised, and what was measured. */
import { GOALS, limitText } from '../limits.mjs';
import { short } from './figures.mjs';
import { drawGoals } from './svg.mjs';

/** Rows that one picture shows. */
export const GROUPS = [
  { file: 'sending', title: 'Sending', rows: ['1', '2', '3', 'manners'] },
  { file: 'delivery', title: 'Delivery, and idle teammates', rows: ['4', '5'] },
  { file: 'throughput', title: 'Draining, claims, queues', rows: ['6', '7', '8'] },
  { file: 'starts', title: 'Starts and verbs', rows: ['9', '11'] },
  { file: 'growth', title: 'Whole runs, and what grows', rows: ['10', '12'] },
  { file: 'turns', title: 'Turns, the page, watch', rows: ['13', '14'] },
  { file: 'trees', title: 'Trees and landing', rows: ['15'] },
  { file: 'store', title: 'A team in a PostgreSQL store', rows: ['16'] },
  { file: 'isolation', title: 'Inside an isolation', rows: ['fence'] },
];

const rowOf = (id) => id.split('.')[0];
const escaped = (text) => text.replaceAll('|', '\\|');

/** How many times better than its limit a figure is: 1 is the limit, less falls short. */
function margin({ id, ratio }) {
  const { least, most } = GOALS[id];
  if (ratio === null || ratio === undefined) return undefined;
  if (least !== undefined) return ratio / least;
  return ratio <= 0 ? Infinity : most / ratio;
}

function verdict({ pass, skipped }) {
  if (pass === null) return `not measured: ${skipped}`;
  if (pass === true) return 'met';
  return pass === false ? '**short**' : `${pass.replace(/^waived: docs\//, '[waived](')})`;
}

/** The goals of a group as they are now defined; one that the result does not have was never measured. */
const goalsOf = ({ rows }, result) =>
  Object.entries(GOALS).flatMap(([id, goal]) => {
    if (!rows.includes(rowOf(id))) return [];
    const found = result.goals.find((one) => one.id === id);
    const facts = { id, says: goal.says, limit: limitText(goal), unit: goal.unit };
    return [{ ...(found ?? { pass: null, ratio: null, skipped: 'not in this result' }), ...facts }];
  });

/** @returns a picture for each group: the name of its file, and its text */
export const picturesOf = (result) =>
  GROUPS.map((group) => {
    const bars = goalsOf(group, result).map((goal) => ({
      name: goal.says,
      value: margin(goal),
      state: goal.pass === null ? 'skipped' : goal.pass === true ? 'met' : goal.pass === false ? 'short' : 'waived',
      figure: goal.ratio === null ? 'not measured' : `${short(goal.ratio)} ${goal.unit} (${goal.limit})`,
    }));
    return { file: `${group.file}.svg`, text: drawGoals({ title: group.title, bars }) };
  });

/** @returns {string} the page, in Markdown */
export function pageOf(result) {
  const known = result.goals.filter(({ id }) => GOALS[id] !== undefined);
  const count = (wanted) => known.filter(({ pass }) => wanted(pass)).length;
  const missing = Object.keys(GOALS).length - known.length + count((pass) => pass === null);
  const { cpu, cores, kernel, node } = result.machine;
  const lines = [
    '# Performance',
    '',
    'Made by `npm run bench` from [docs/bench/latest.json](bench/latest.json); do not edit. How it is measured:',
    '[bench/README.md](../bench/README.md). Where the time goes: [docs/bench/README.md](bench/README.md).',
    '',
    `Of ${Object.keys(GOALS).length} goals **${count((pass) => pass === true)} are met, ${count((pass) => pass === false)} fall short**, ${count((pass) => typeof pass === 'string')} are waived, ${missing} were not measured.`,
    `${result.date}, ${cpu}, ${cores} cores, Linux ${kernel}, Node ${node.replace(/^v/, '')}. Ratios compare both sides in one interleaved run; only`,
    'they mean something on another machine. In the pictures a bar to the right of the line meets its goal: twice as far is twice as good.',
    '*Least*: what the file calls that the rules ask for leave to any program ([decision 154](decisions/154-the-least-a-rule-costs.md)).',
  ];
  for (const group of GROUPS) {
    lines.push('', `## ${group.title}`, '', `![${group.title}](bench/${group.file}.svg)`, '');
    lines.push(
      '| row | goal | measured | least | ours | theirs | load | date | |',
      '|---|---|---|---|---|---|---|---|---|',
    );
    for (const goal of goalsOf(group, result)) {
      const shown = (value) => (value === null || value === undefined ? '' : short(value));
      const cells = [
        goal.id,
        `${escaped(goal.says)} ${goal.limit}`,
        goal.ratio === null ? '' : `${short(goal.ratio)} ${goal.unit}`,
        shown(goal.least),
        shown(goal.ours),
        shown(goal.theirs),
        goal.load === undefined ? '' : String(goal.load),
        goal.date ?? (goal.pass === null ? '' : result.date),
        verdict(goal),
      ];
      lines.push(`| ${cells.join(' | ')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}
