/**
 * Hostile text (threats 7, 19 and 27 of docs/reliability.md): its effect on a terminal, a log, a prototype, and a
 * parser's time.
 */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAgentFlag } from '../../src/model/agent/agent.ts';
import { configFromEnv } from '../../src/model/config/config-env.ts';
import { mergeConfig, parseConfigFile } from '../../src/model/config/config-layers.ts';
import { nearest } from '../../src/model/text/did-you-mean.ts';
import { parseDuration } from '../../src/model/text/duration.ts';
import { parseBoardLine } from '../../src/model/board/board-line.ts';
import { parseMail } from '../../src/model/team/message.ts';
import { parseName } from '../../src/model/text/names.ts';
import { parsePlan } from '../../src/model/plan/plan.ts';
import { safeJson, safeLine, safeText } from '../../src/model/text/safe-text.ts';
import { slug } from '../../src/model/text/slug.ts';
import { subjectCode } from '../../src/model/board/task.ts';
import { complexityOf } from '../../src/policy/divide/complexity.ts';
import { classify } from '../../src/policy/divide/routing.ts';
import { taskType } from '../../src/policy/task-type.ts';
import { parseMark } from '../../src/os/reaper-message.ts';
import { verbs } from '../../src/surfaces/cli/verbs/all-verbs.ts';
import { LINE_LIMIT } from '../../src/store/files/lines.ts';
import { Workplace } from '../support/cli.ts';
import { isLinear } from '../support/linear.ts';
import { name } from '../support/team.ts';

const HOSTILE =
  '\u001b]52;c;aGk=\u0007\u001b]8;;http://x\u001b\\link\u001b[31mred\u001b[2J\u001b]0;unended \u009b5n\u0085\u202egpj\u2066\u200b\u007f\b\r';
const DRIVES_A_TERMINAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/;

/** Each verb with words that a stranger chose, or about a team with such words. */
const SAID: string[][] = [
  ['list', '--all'],
  ['status'],
  ['log'],
  ['logs', 'ada'],
  ['inbox', 'ada'],
  ['inbox', 'lead'],
  ['take', 'ada'],
  ['why'],
  ['why', 'ada'],
  ['why', '1'],
  ['why', '2'],
  ['report'],
  ['at', '1'],
  ['at', '3'],
  ['replay'],
  ['approvals'],
  ['answer', 'login', HOSTILE, 'yes'],
  ['budget'],
  ['diff'],
  ['diff', '1'],
  ['wait', '--timeout', '1s'],
  ['undo', '1'],
  ['apply'],
  ['up', `plan${HOSTILE.replaceAll('/', '')}.yaml`],
  ['store', 'check', HOSTILE],
  ['pipeline', HOSTILE],
  ['route', HOSTILE],
  ['completion', HOSTILE],
  ['task', 'list'],
  ['task', 'get', '1'],
  ['task', 'retry', '1'],
  ['task', 'approve', '1'],
  ['task', 'revise', '1', HOSTILE],
  ['doctor'],
  ['config', 'show'],
  ['validate', `plan${HOSTILE.replaceAll('/', '')}.yaml`],
  ['run', '--dry-run', `plan${HOSTILE.replaceAll('/', '')}.yaml`],
  ['validate', `missing${HOSTILE}`],
  ['status', HOSTILE],
  ['send', HOSTILE, 'x'],
  ['task', 'get', HOSTILE],
  ['task', 'create', 'x', '--blocked-by', HOSTILE],
  ['task', 'create', 'x', '--timeout', HOSTILE],
  ['spawn', 'login', 'ada', '--agent', HOSTILE],
  [HOSTILE],
  ['status', `--${HOSTILE}`],
  ['--root', HOSTILE, 'status'],
  ['wisdom', 'add', 'login', HOSTILE],
  ['wisdom', 'list', HOSTILE],
  ['export'],
  ['export', HOSTILE],
  ['pr'],
  ['prune', HOSTILE],
  ['prune', '--all'],
  ['init', HOSTILE],
  ['host', HOSTILE],
  ['host', '--labels', HOSTILE],
  ['migrate', 'login', '--to', HOSTILE],
  ['migrate', HOSTILE, '--to', 'files'],
  ['store', 'init', HOSTILE],
  ['store', 'relay', HOSTILE],
  ['show', HOSTILE],
  ['create', HOSTILE],
  ['delete', HOSTILE],
  ['lead', HOSTILE],
  ['worker', 'login', HOSTILE],
  ['spawn', 'login', HOSTILE],
  ['pause', HOSTILE],
  ['unpause', HOSTILE],
  ['cancel', HOSTILE],
  ['resume', HOSTILE],
  ['watch', HOSTILE],
  ['ui', HOSTILE],
  ['mcp', HOSTILE],
  ['acp', HOSTILE],
  ['relay', HOSTILE],
  ['refine', HOSTILE, '--agents', HOSTILE],
  ['task', 'claim', HOSTILE],
  ['task', 'complete', HOSTILE],
  ['task', 'fail', HOSTILE, '--reason', HOSTILE],
  ['task', 'release', HOSTILE],
  ['task', 'skip', '2'],
  ['task', 'unblock', '2', HOSTILE],
  ['task', 'refuse', '1', HOSTILE],
  ['task', 'update', '2', '--subject', `New ${HOSTILE}`],
];

/** A verb has one word or two. */
const nameOf = (argv: readonly string[]): string[] => [argv[0] ?? '', argv.slice(0, 2).join(' ')];

describe('a terminal', () => {
  let place: Workplace;
  const file = (at: string): string => join(place.root, at);

  beforeEach(async () => {
    place = new Workplace();
    await place.teams('create', 'login', '--member', 'ada');
    await place.teams(
      'task',
      'create',
      `One ${HOSTILE}`,
      '--description',
      HOSTILE,
      '--run',
      `echo ${HOSTILE.slice(1)}`,
    );
    await place.teams('task', 'create', `Two ${HOSTILE}`, '--owner', 'ada', '--blocked-by', '1');
    await place.teams('task', 'claim', '1', '--as', 'lead');
    await place.teams('task', 'fail', '1', '--reason', HOSTILE);
    await place.teams('send', 'login', 'ada', HOSTILE, '--kind', `k${HOSTILE.slice(0, 40)}`);
    const line = { type: HOSTILE.slice(0, 60), sender: `eve${HOSTILE}`, content: HOSTILE, timestamp: 1 };
    for (const member of ['ada', 'lead'])
      appendFileSync(file(`.teams/login/${member}_inbox.jsonl`), `${JSON.stringify({ ...line, id: HOSTILE })}\n`);
    const events = [
      { type: `other.${HOSTILE}`, member: `ada${HOSTILE}`, text: HOSTILE },
      { type: 'agent.said', member: 'ada', task: HOSTILE, text: HOSTILE },
    ];
    for (const event of events)
      appendFileSync(
        file('.teams/login/events.jsonl'),
        `\n${JSON.stringify({ at: '2026-01-01T00:00:00.000Z', ...event })}\n`,
      );
    writeFileSync(file('.teams/login/logs/ada.log'), `${HOSTILE}\n`);
    writeFileSync(
      file('.teams/login/processes/ada.json'),
      JSON.stringify({
        version: 1,
        name: 'ada',
        phase: 'running',
        note: { state: 'waiting', reason: HOSTILE, since: 1 },
      }),
    );
    place.put(`plan${HOSTILE.replaceAll('/', '')}.yaml`, 'name: x\nmembers: [{name: "\\e[31m"}]\n"\\e[31m": 1\n');
  });

  it.each(SAID)('a terminal gets no control sequence from %j', async (...argv) => {
    for (const flags of [[], ['--verbose'], ['--json']]) {
      const { out, err } = await place.teams(...argv, ...flags);
      if (argv[0] !== 'take') expect(`${out}${err}`).not.toBe('');
      expect(safeText(`${out}${err}`)).toBe(`${out}${err}`);
      expect(`${out}${err}`).not.toMatch(DRIVES_A_TERMINAL);
    }
  });

  it('every verb is among those that were looked at', () => {
    const looked = new Set(SAID.flatMap(nameOf));
    expect(verbs.map(({ name }) => name).filter((name) => !looked.has(name))).toEqual([]);
  });

  it('a terminal gets no control sequence from a history or from damaged files', async () => {
    await place.teams('take', 'ada');
    for (const damage of ['.teams/login/state.json', '.teams/login/config.json', '.teams/config.yaml']) {
      const shown = await place.teams('inbox', 'ada', '--history');
      writeFileSync(file(damage), `{"${HOSTILE}": [`);
      for (const { out, err } of [shown, await place.teams('status'), await place.teams('config', 'show')])
        expect(`${out}${err}`).not.toMatch(DRIVES_A_TERMINAL);
    }
  });
});

describe('a log', () => {
  it('a log has one line for each entry, for any text', async () => {
    const place = new Workplace();
    await place.teams('create', 'login', '--member', 'ada');
    const forged = 'x\n12  00:00:00 [lead] lead.took\r\n{"type":"team.closed"}\n\u2028{"at":"2026"}\u0085';
    await place.teams('task', 'create', forged, '--description', forged);
    await place.teams('send', 'login', 'ada', forged, '--as', 'ada');
    await place.teams('send', 'login', 'lead', forged);
    await place.teams('task', 'claim', '1');
    await place.teams('task', 'fail', '1', '--reason', forged);
    const plain = (await place.teams('log')).out.trimEnd().split('\n');
    const events = (await place.teams('log', '--json')).out.trimEnd().split('\n');
    expect(plain).toHaveLength(events.length);
    expect(plain.filter((line) => /^\d+ +[\d:]{8} /.test(line))).toHaveLength(plain.length);
    expect(
      (await place.teams('task', 'list')).out
        .trimEnd()
        .split('\n')
        .filter((line) => /\b1\b/.test(line)),
    ).toHaveLength(1);
    for (const path of ['.teams/login/events.jsonl', '.tasks/login/log.jsonl', '.teams/login/lead_inbox.jsonl'])
      for (const line of readFileSync(join(place.root, path), 'utf8').split('\n').filter(Boolean))
        expect(() => void JSON.parse(line)).not.toThrow();
  });
});

describe('a file that people print', () => {
  /** Without characters that only have no width, which are left in texts. */
  const OBEYED = /[\u0000-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/;

  it('no log, result, report or event holds what a terminal obeys; nothing is left out', async () => {
    const place = new Workplace();
    const octal = [...Buffer.from(`${HOSTILE}plain\r\n`)]
      .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
      .join('');
    const script = `printf '${octal}'; printf '${octal}' >&2; exit "$1"`;
    place.put('say.sh', `${script}\n`);
    const plan = {
      name: 'hostile',
      members: [{ name: 'ada', agent: { kind: 'exec' } }],
      tasks: [
        { subject: 'Fine', run: 'sh say.sh 0' },
        { subject: 'Bad', run: 'sh say.sh 3' },
      ],
      gates: { test: 'sh say.sh 1' },
    };
    place.put('plan.json', JSON.stringify(plan));
    await place.teams('run', 'plan.json', '--quiet');
    const folder = join(place.root, '.teams/hostile');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^(?:logs|results)\/|^(?:report\.(?:md|json)|events.*\.jsonl)$/.test(file),
    );
    const found = files.filter((file) => OBEYED.test(readFileSync(join(folder, file), 'utf8')));
    expect(found).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['logs/ada.log', 'report.md', 'report.json', 'events.jsonl']));
    const log = readFileSync(join(folder, 'logs/ada.log'), 'utf8');
    expect(log).toContain('^[]52;c;aGk=^G');
    expect(log).toContain('<U+202E>gpj');
    expect(log).toContain('plain\r\n');
    expect(readFileSync(join(folder, 'results/1.md'), 'utf8')).toContain('^[[31mred');
  });
});

describe('what members and people write', () => {
  const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

  it('no inbox, history, board or task file holds a live control character, and every reader gets the same text', async () => {
    const place = new Workplace();
    const text = `${HOSTILE}\u007f\u009b31m\u202egpj`;
    await place.teams('create', 'duo', '--member', 'ada');
    await place.teams('send', 'duo', 'ada', text);
    await place.teams('task', 'create', 'duo', 'Work', '--description', text, '--owner', 'ada');
    await place.teams('task', 'comment', 'duo', '1', text);
    const list = (folder: string): string[] =>
      readdirSync(join(place.root, folder), { recursive: true, withFileTypes: true, encoding: 'utf8' })
        .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name));
    const before = [...list('.teams/duo'), ...list('.tasks/duo')];
    const mail = JSON.parse((await place.teams('inbox', 'duo', 'ada', '--json')).out) as unknown;
    expect(JSON.stringify(mail)).toContain(JSON.stringify(text).slice(1, -1));
    await place.teams('take', 'duo', 'ada');
    const files = [...before, ...list('.teams/duo')];
    expect(files.map((file) => basename(file))).toEqual(expect.arrayContaining(['log.jsonl', 'ada_inbox.jsonl']));
    for (const file of new Set(files))
      if (existsSync(file)) expect(RAW.test(readFileSync(file, 'utf8').replaceAll('\n', '')), file).toBe(false);
  });
});

describe('a prototype', () => {
  const POISON = [
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"a":{"__proto__":{"polluted":1}}}',
    '[{"__proto__":{"polluted":1}}]',
    '{"__proto__":[],"prototype":{"polluted":1}}',
    '{"data":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
  ];
  const PARSERS: [string, (text: string) => unknown][] = [
    ['mail', (text) => parseMail(text.replace('{', '{"type":"m","sender":"s","content":"c","timestamp":1,'))],
    ['the board log', (text) => parseBoardLine(text.replace('{', '{"v":1,'))],
    ['a plan in JSON', (text) => parsePlan({ text, file: 'p.json', format: 'json' })],
    ['a plan in YAML', (text) => parsePlan({ text, file: 'p.yaml', format: 'yaml' })],
    [
      'a plan’s environment',
      (text) =>
        parsePlan({
          text: `tasks: [{subject: s, run: x, env: ${text}}]\nmembers: []\n`,
          file: 'p.yaml',
          format: 'yaml',
        }),
    ],
    [
      'a plan’s values',
      (text) => parsePlan({ text: 'tasks: []', file: 'p.yaml', format: 'yaml' }, { __proto__: text }),
    ],
    ['configuration', (text) => mergeConfig([{ origin: 'f', values: parseConfigFile(text, 'f'), trusted: true }])],
    [
      'grouped configuration',
      (text) =>
        mergeConfig([
          { origin: 'f', values: parseConfigFile(`{"models":${text},"agents":${text}}`, 'f'), trusted: true },
        ]),
    ],
    [
      'the environment',
      (text) => mergeConfig(configFromEnv({ TEAMS_MODELS: text, TEAMS_AGENTS: text, TEAMS___PROTO__: text })),
    ],
    ['an agent', (text) => parseAgentFlag(text)],
    ['a mark', (text) => parseMark(JSON.parse(text))],
  ];
  const CASES = PARSERS.flatMap(([what, parse]) => POISON.map((text) => [what, text, parse] as const));
  it.each(CASES)('no prototype is changed by %s with %s', (_, text, parse) => {
    try {
      parse(text);
    } catch (error) {
      expect(error).toMatchObject({ class: 'UsageError' });
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((Object.prototype as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('no prototype is changed by any file of a team', async () => {
    const place = new Workplace();
    await place.teams('create', 'login', '--member', 'ada');
    mkdirSync(join(place.root, '.teams/login/logs'), { recursive: true });
    for (const text of POISON)
      for (const path of [
        'state.json',
        'plan.json',
        'processes/ada.json',
        'processes/lead.lease.json',
        'events.jsonl',
        'ada_inbox.jsonl',
      ]) {
        appendFileSync(join(place.root, '.teams/login', path), `${text}\n`);
        for (const argv of [['status'], ['report'], ['why'], ['inbox', 'ada']]) await place.teams(...argv, '--json');
      }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a parser', () => {
  const MB = 1024 * 1024;
  const fill = (unit: string): string => unit.repeat(Math.ceil(MB / unit.length)).slice(0, MB);
  const TEXTS = [
    'a',
    ' ',
    '-',
    'a-',
    '[',
    '"',
    '\\',
    '\\"',
    '\u001b[',
    '\u001b]',
    '\u001b]8;',
    '9',
    '1h',
    'aA',
    'Fix ',
    '[x]',
    '\n',
    '{{',
    '.',
    ':',
  ].map((unit) => [JSON.stringify(unit), fill(unit)] as const);
  const PARSERS: [string, (text: string) => unknown][] = [
    ['safeText', safeText],
    ['safeLine', safeLine],
    ['safeJson', safeJson],
    ['parseMail', (text) => parseMail(`{"type":"m","sender":"s","timestamp":1,"content":${text}`)],
    [
      'parseMail of a whole line',
      (text) => parseMail(JSON.stringify({ type: 'm', sender: 's', content: text, timestamp: 1 })),
    ],
    ['parseBoardLine', parseBoardLine],
    ['parseName', (text) => parseName('member', text)],
    ['parseDuration', parseDuration],
    ['parseAgentFlag', (text) => parseAgentFlag(text)],
    ['subjectCode', subjectCode],
    ['taskType', (text) => taskType({ subject: text, metadata: {} })],
    ['slug', (text) => slug(text, name('x'))],
    ['nearest', (text) => nearest(text, ['status', 'list'])],
    ['classify', classify],
    ['complexityOf', complexityOf],
  ];
  it.each(PARSERS)('a parser takes time in proportion to the text: %s', (_, parse) => {
    for (const [unit, text] of TEXTS) {
      const parsed = (size: 'quarter' | 'whole'): void => {
        try {
          parse(size === 'whole' ? text : text.slice(0, MB / 4));
        } catch (error) {
          expect(error).toMatchObject({ class: 'UsageError' });
        }
      };
      expect({ unit, isLinear: isLinear(parsed) }).toEqual({ unit, isLinear: true });
    }
    expect(MB).toBeLessThan(LINE_LIMIT);
  });
});
