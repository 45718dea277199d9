/**
 * The model of a host that leads. It calls one tool after the other. Before each next call it checks that the files
 * agree with the last answer.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Asked } from '../fixtures/model-server/asked.ts';
import type { Answerer } from '../fixtures/model-server/script.ts';

interface Act {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The text of the answer, or its structured form, which some hosts show their model; CheckInbox is called again. */
  readonly says: RegExp;
  /** A check of the files. Returns a sentence about the error, empty if all is well. */
  readonly look: (root: string) => string;
}

/** The maximum of calls of one tool until its answer matches. */
const TRIES = 60;

const read = (...path: string[]): string => (existsSync(join(...path)) ? readFileSync(join(...path), 'utf8') : '');
const within = (text: string, part: string, what: string): string =>
  text.includes(part) ? '' : `${what} has no ${JSON.stringify(part)}`;
/** All mail that was ever sent to one member, wherever it is now. */
const mailOf = (root: string, name: string): string => {
  const folder = join(root, '.teams', 'login');
  const files = readdirSync(folder).filter((file) => new RegExp(`^${name}_(?:inbox|history).*\\.jsonl$`).test(file));
  return files.map((file) => read(folder, file)).join('');
};

const ACTS: readonly Act[] = [
  {
    tool: 'TeamCreate',
    input: { name: 'login', description: 'the login page' },
    says: /Team login was created|"team":\s*"login"/,
    look: (root) => within(read(root, '.teams/login/config.json'), '"name": "login"', 'config.json'),
  },
  {
    tool: 'Task',
    input: { prompt: 'begin', team_name: 'login', name: 'ada', agent: 'talker' },
    says: /ada works for team login|"name":\s*"ada"/,
    look: (root) => within(read(root, '.teams/login/processes/ada.json'), '"phase": "running"', 'processes/ada.json'),
  },
  {
    tool: 'SendMessage',
    input: { recipient: 'ada', content: 'ping from the host' },
    says: /sent to ada, id |"recipient":\s*"ada",\s*"id"/,
    look: (root) => within(mailOf(root, 'ada'), 'ping from the host', 'the mail of ada'),
  },
  {
    tool: 'CheckInbox',
    input: {},
    says: /pong from ada/,
    look: (root) => within(mailOf(root, 'lead'), 'pong from ada', 'the mail of the lead'),
  },
  {
    tool: 'TeamDelete',
    input: { name: 'login', force: true },
    says: /Team login was put into the archive|"team":\s*"login"/,
    look(root) {
      if (existsSync(join(root, '.teams/login'))) return '.teams/login is there still';
      const [archived = ''] = readdirSync(join(root, '.teams/.archive'));
      return /^login-\d{8}T/.test(archived) ? '' : `the archive has ${archived}`;
    },
  },
];

export class HostLife {
  /** The errors, as sentences. */
  readonly wrong: string[] = [];
  /** The called tools, each as often as it was called. */
  readonly called: string[] = [];
  readonly #root: string;
  #act = 0;
  #tries = 0;

  constructor(root: string) {
    this.#root = root;
  }

  static readonly tools: readonly string[] = ACTS.map(({ tool }) => tool);

  get isDone(): boolean {
    return this.#act === ACTS.length;
  }

  readonly answer: Answerer = (asked) => {
    if (this.#tries > 0) this.#judge(asked.results.at(-1) ?? '');
    const act = ACTS[this.#act];
    if (act === undefined || this.wrong.length > 0) return { text: 'All done.' };
    const tool = offered(asked, act.tool);
    if (tool === undefined) {
      this.wrong.push(`${act.tool} was not offered, only ${asked.tools.join(', ')}`);
      return { text: 'I cannot.' };
    }
    this.#tries += 1;
    this.called.push(act.tool);
    return { calls: [{ tool, input: act.input }], delayMs: this.#tries > 1 ? 100 : 0 };
  };

  #judge(result: string): void {
    const act = ACTS[this.#act];
    if (act === undefined) return;
    if (act.says.test(result)) {
      const seen = act.look(this.#root);
      if (seen !== '') this.wrong.push(`after ${act.tool}: ${seen}`);
      this.#act += 1;
      this.#tries = 0;
    } else if (act.tool !== 'CheckInbox' || this.#tries === TRIES) this.wrong.push(`${act.tool} answered: ${result}`);
  }
}

/** The name under which this host offers our tool to its model. */
const offered = ({ tools }: Asked, name: string): string | undefined =>
  tools.find((tool) => new RegExp(`teams(?:__|_|/)${name}$`).test(tool));
