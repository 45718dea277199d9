// Writes AUDIT.md in the current folder from the auditors' mail: a glance, then their sections in a fixed order, then
// what is missing. Takes a section only from the member whose it is. Replaces no AUDIT.md that it did not write.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const SECTIONS = [
  { heading: 'Inventory', from: 'surveyor' },
  { heading: 'Hot files', from: 'historian' },
  { heading: 'Marked work', from: 'foreman' },
  { heading: 'Dependencies', from: 'librarian' },
  { heading: 'Secrets and big files', from: 'warden' },
];
const TARGET = 'AUDIT.md';
const OURS = '<!-- written by the audit plan of teams; its next run replaces this file -->';

/** What arrived with this task, and what an earlier task of ours was given and acknowledged. */
function mailFiles(env) {
  const history = [env.TEAMS_ROOT, '.teams', env.TEAMS_TEAM, `${env.TEAMS_MEMBER}_history.jsonl`];
  const known = history.every((part) => part) ? [join(...history)] : [];
  return [...known, env.TEAMS_MAIL_FILE].filter((path) => path && existsSync(path));
}

/** The message on a line of mail; undefined for a line that is none. */
function parse(line) {
  try {
    const { sender, content } = JSON.parse(line);
    return typeof sender === 'string' && typeof content === 'string' ? { sender, content } : undefined;
  } catch {
    return undefined; // a torn or foreign line: the runtime reports it, a missing section is named below
  }
}

const messages = mailFiles(process.env)
  .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
  .map(parse)
  .filter((message) => message !== undefined);

/** The latest section under this heading, by its own auditor. */
function sectionOf({ heading, from }) {
  const found = messages.findLast(({ sender, content }) => sender === from && content.startsWith(`## ${heading}\n`));
  return { heading, from, text: found?.content.trim() };
}

const firstSentence = (text) => text.split('\n').find((line) => line !== '' && !line.startsWith('#')) ?? '';

function git(...args) {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return ''; // no repository, or no commit yet: said in the sections
  }
}

/** A name from outside as plain text: nothing in it that Markdown would act on. */
const plain = (name) => name.replace(/[^\p{L}\p{N} ./_-]/gu, '?');

/** Which tree this is about: folder, commit, and whether it is only a part of a repository. */
function subject(now) {
  const commit = git('rev-parse', '--short', 'HEAD');
  const branch = git('symbolic-ref', '--short', '--quiet', 'HEAD');
  const prefix = git('rev-parse', '--show-prefix');
  const where = commit === '' ? '' : ` at commit ${commit}${branch === '' ? '' : ` on ${plain(branch)}`}`;
  const part = prefix === '' ? '' : ` Only the folder \`${plain(prefix)}\` of the repository was looked at.`;
  return `The files as they lay on disk on ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC${where}.${part}`;
}

function compose(sections, now) {
  const there = sections.filter(({ text }) => text !== undefined);
  const missing = sections.filter(({ text }) => text === undefined);
  return [
    `# Audit of ${plain(basename(process.cwd()))}`,
    subject(now),
    there.map(({ heading, text }) => `- **${heading}**: ${firstSentence(text)}`).join('\n'),
    ...missing.map(({ heading, from }) => `**Missing: ${heading}.** No findings of the ${from} arrived.`),
    ...there.map(({ text }) => text),
    OURS,
  ].join('\n\n');
}

if (existsSync(TARGET) && !readFileSync(TARGET, 'utf8').includes(OURS)) {
  console.error(`${TARGET} exists and was not written by this plan: move it away, then run the plan again.`);
  process.exit(1);
}
const sections = SECTIONS.map(sectionOf);
const draft = `${TARGET}.${process.pid}`;
writeFileSync(draft, `${compose(sections, new Date())}\n`);
renameSync(draft, TARGET);
const missing = sections.filter(({ text }) => text === undefined).map(({ heading }) => heading);
console.log(
  `${TARGET}: ${sections.length - missing.length} of ${sections.length} sections${missing.length > 0 ? `; missing: ${missing.join(', ')}` : ''}.`,
);
