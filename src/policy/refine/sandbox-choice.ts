/**
 * What a relay call may do to files (docs/specification.md R9.10): read-only, unless the task asks to make or change
 * files. The verb at the start of a clause decides. For verbs that can also ask for text (`write a summary`), their
 * object decides. A clause that begins with another verb (review, explain, analyse) never writes.
 */
import type { Sandbox } from '../../model/agent/agent.ts';

export interface SandboxChoice {
  readonly sandbox: Sandbox;
  readonly why: string;
}

/** @param asked the value of `--sandbox`; it has precedence */
export function chooseSandbox(task: string, asked?: Sandbox): SandboxChoice {
  if (asked !== undefined) return { sandbox: asked, why: 'asked for by --sandbox' };
  const forbids = PROHIBITION.exec(task)?.[0];
  if (forbids !== undefined) return { sandbox: 'read-only', why: `the task says "${oneLine(forbids)}"` };
  const writes = clausesOf(task).find(isWriting);
  if (writes === undefined) return { sandbox: 'read-only', why: 'the task does not ask for changes of files' };
  return { sandbox: 'workspace-write', why: `the task says "${oneLine(writes)}"` };
}

const list = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

/** Verbs that change files with any object. */
const WRITES = list(`
  refactor implement fix apply migrate rename delete remove edit modify patch install upgrade downgrade port scaffold
  bootstrap rewrite restructure integrate wire format lint replace insert move split merge extract inline bump commit
  repair resolve optimise optimize simplify modernise modernize clean deduplicate parametrise parameterize parallelise
  revert localise localize secure harden correct
`);

/** Verbs that change files only if their object is kept in files. */
const MAKES = list(`
  create write add generate update build make change produce draft design document prepare set setup convert translate
  extend improve develop configure define save put finish complete adapt enable disable expose turn speed test cover
`);

/** Objects that are kept in files; a path or a known file extension counts too. */
const OBJECTS = list(`
  file files directory folder code codebase repo repository project function functions class classes method methods
  module modules component components endpoint endpoints api apis route routes test tests spec specs suite script
  scripts page pages doc docs documentation readme changelog config configuration schema schemas migration migrations
  package packages dependency dependencies service services feature features app application library cli command
  commands flag option type types interface interfaces import imports test-suite workflow pipeline dockerfile makefile
  database table tables query queries middleware handler handlers hook hooks validation logging error errors support
  field fields button form template templates style styles comment comments docstring docstrings license
`);

const ENDING =
  /(?:^|[\s"'`(])(?:[\w.@-]*\/[\w.@/-]+|[\w@-][\w.@-]*\.(?:md|txt|tsx?|jsx?|mjs|cjs|json|ya?ml|toml|py|go|rs|java|kt|c|h|cpp|cs|rb|php|swift|sh|sql|html|css|scss|vue|svelte|xml|proto|ini|cfg|csv))(?=$|[\s"'`),.;:])/i;

/** `Do not modify any files`: a prohibition of all changes, not of one. */
const PROHIBITION =
  /\b(?:do not|don['’]t|never|without|no need to)\s+(?:\w+\s+){0,2}?(?:chang|modify|edit|writ|touch|creat)\w*\s+(?:(?:any|the|to)\s+)?(?:files?|anything|(?:source )?code(?=\s*(?:$|[.,;!\n])))\b|(?:^|[.,;:(\n]\s*)read[- ]only(?: mode)?\b(?=\s*(?:$|[.,;!)\n]))|\bno (?:file )?changes\b/i;

const POLITE =
  /^(?:(?:please|also|first|then|now|next|finally|and|just|kindly|can you|could you|would you|will you|you should|you must|i want you to|i would like you to|i need you to|we need to|we should|we want to|i want to|help me to|help me|help us|let['’]?s|go ahead and|try to|make sure to|be sure to)[ ,]+)+/i;

/** Clauses that are described, not requested: `how to build and test the project`. */
const TOLD = /\b(?:how|ways?|steps?|whether|when|where|what) to\b[^\n.;:!?]*/gi;

/** Parts that may begin an instruction: a sentence, a line, a clause, what `and` joins. */
const clausesOf = (task: string): string[] =>
  task
    .replace(TOLD, '')
    .split(/[\n.;:!?]+(?=\s|$)|,|\s+[-–—]+\s+|\b(?:and then|and|then|but)\b/i)
    .map((clause) => clause.trim().replace(/^[-*+\d.)\s"'`]+/, ''))
    .map((clause) => clause.replace(POLITE, ''))
    .filter((clause) => clause !== '');

function isWriting(clause: string): boolean {
  const words = clause.toLowerCase().match(/[a-z][a-z-]*/g) ?? [];
  const [verb = '', ...rest] = words;
  if (WRITES.has(verb)) return true;
  return MAKES.has(verb) && (rest.some((word) => OBJECTS.has(word)) || ENDING.test(clause));
}

const LONGEST = 80;

function oneLine(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= LONGEST ? flat : `${flat.slice(0, LONGEST)}…`;
}
