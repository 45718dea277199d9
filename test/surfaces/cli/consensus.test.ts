/**
 * Work without consensus, in a run of programs: it is held through kill -9 and resume until a person has it revised.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { until, Workplace } from '../../support/cli.ts';

const tasksSchema = z.object({ tasks: z.array(z.object({ id: z.string(), subject: z.string(), status: z.string() })) });
const eventSchema = z.looseObject({ type: z.string(), text: z.string().optional() });

const PIPELINE = `
description: Research, and one document of it.
tasks:
  - {code: RESEARCH-001, role: analyst, subject: Look, artifact: spec/discovery-context.json, discuss: DISCUSS-001}
  - {code: DRAFT-001, role: writer, subject: Write, after: [RESEARCH-001], artifact: spec/brief.md, discuss: DISCUSS-002}
`;

/** No perspective agrees before the file \`revised\` exists; then only the risk analyst disagrees. */
const WORKER = `
cat > prompt.$TEAMS_ROLE$TEAMS_PHASE.$TEAMS_SUBAGENT
case "$TEAMS_SUBAGENT" in
  explore) echo explored >> explored; echo '{"summary": "One script.", "files": [{"path": "w.sh"}]}';;
  discuss)
    rating=5; [ "$TEAMS_PERSPECTIVE" = risk ] && rating=2; [ -e revised ] || rating=1
    echo "{\\"rating\\": $rating, \\"summary\\": \\"So it is.\\", \\"action_items\\": [\\"Ask the users.\\"]}";;
  *) echo "{\\"phase\\": \\"$TEAMS_PHASE\\"}"; echo "WISDOM learnings: $TEAMS_ROLE works in three phases";;
esac
`;

const folderOf = ({ root }: Workplace): string =>
  readdirSync(join(root, '.teams'))
    .filter((name) => name.startsWith('tls-'))
    .map((name) => join(root, '.teams', name))[0] ?? '';
const eventsOf = (place: Workplace) => {
  const file = join(folderOf(place), 'events.jsonl');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.split('\n').flatMap((line) => (line === '' ? [] : [eventSchema.parse(JSON.parse(line))]));
};
const textsOf = (place: Workplace, type: string): string[] =>
  eventsOf(place).flatMap((event) => (event.type === type ? [event.text ?? ''] : []));
const board = async (place: Workplace): Promise<string[]> =>
  (await place.json(tasksSchema, 'task', 'list')).tasks.map(({ subject, status }) => `${subject}: ${status}`);

it('work without consensus holds its dependants, is revised once a person says so, and the pipeline goes on from the new version', async () => {
  const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '2000' });
  place.put('.teams/pipelines/tiny.yaml', PIPELINE);
  place.put('w.sh', WORKER);
  await place.teams('doctor', '--trust');
  const first = place.start('pipeline', 'tiny', 'Add a dark mode', '--agent', 'exec:sh w.sh');
  await until(
    () => textsOf(place, 'role.reported').length === 1 && textsOf(place, 'message.received').length >= 2,
    'it is held',
  );
  first.child.kill('SIGKILL');
  await first.ended;

  const second = place.start('resume');
  await until(() => textsOf(place, 'message.received').length > 2, 'it is led again');
  expect(await board(place)).toEqual(['RESEARCH-001 Look: completed', 'DRAFT-001 Write: pending']);
  const [mail = ''] = textsOf(place, 'message.received');
  expect(mail.split('\n')).toEqual([
    '[analyst] RESEARCH-001 complete. Discuss DISCUSS-001: consensus_blocked (severity=HIGH)',
    'Divergences: Product: rates it 1: So it is.; Risk: rates it 1: So it is.; Coverage: rates it 1: So it is.',
    'Action items: Ask the users.',
    'Recommendation: revise',
    expect.stringMatching(/^Artifact: .*spec\/discovery-context\.json$/),
    expect.stringMatching(/^Discussion: .*discussions\/DISCUSS-001-discussion\.md$/),
  ]);
  place.put('revised', '');
  expect((await place.teams('task', 'revise', 'RESEARCH-001', 'Ask the users.')).out).toMatch(/RESEARCH-001-R1 Look/);
  expect((await second.ended).code).toBe(0);

  expect(await board(place)).toEqual([
    'RESEARCH-001 Look: completed',
    'DRAFT-001 Write: completed',
    'RESEARCH-001-R1 Look: completed',
  ]);
  expect(textsOf(place, 'discussion.held')).toEqual([
    'DISCUSS-001: consensus_blocked (severity=HIGH), rating 1.0',
    'DISCUSS-001: consensus_blocked (severity=MEDIUM), rating 4.0',
    'DISCUSS-002: consensus_reached, rating 5.0',
  ]);
  const reports = textsOf(place, 'message.received').filter((text) => text.includes('Final report'));
  expect(reports.join('\n')).toMatch(/^\[analyst\] Warning on RESEARCH-001-R1: consensus_blocked \(severity=MEDIUM\)/m);
  expect(textsOf(place, 'bus.logged').map((text) => text.split('.')[0])).toEqual([
    '#1 research_ready: [analyst] RESEARCH-001 complete',
    '#2 research_ready: [analyst] RESEARCH-001-R1 complete',
    '#3 draft_ready: [writer] DRAFT-001 complete',
  ]);
  expect(readFileSync(join(place.root, 'explored'), 'utf8')).toBe('explored\n');
  const told = readFileSync(join(place.root, 'prompt.writer2.'), 'utf8');
  expect(told).toContain('- analyst works in three phases');
});
