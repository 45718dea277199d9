/**
 * The line of a command's output that says how it ended. Of a failure: the first failed test, the first error of a
 * compiler, the exception at the end. Of a success: the count of the tests. Where no line has such a form, the last one
 * that is not decoration. Pure.
 */
import { printedLine } from './safe-text.ts';

interface Form {
  readonly line: RegExp;
  /** An exception is told at the end of what led to it; of tests and compilers the first failure is the cause. */
  readonly wanted?: 'first' | 'last';
  /** The line after it that says why. */
  readonly detail?: RegExp;
}

/** How many lines after the line its detail may stand. */
const DETAIL_LINES = 15;

/** In this order: a test's name says more than the exception that it threw. */
const FAILURES: readonly Form[] = [
  // pytest's summary; unittest
  { line: /^FAILED \S+::\S+.*$/ },
  { line: /^FAIL: \S.*$/, detail: /^([A-Z]\w*Error\b[^:]*: .+)$/ },
  // go test
  { line: /^\s*(--- FAIL: .+)$/, detail: /^\s+\S+\.go:\d+: (.+)$/ },
  // TAP: node --test, tap, bats
  { line: /^\s*(not ok \d+(?!.*# (?:TODO|SKIP)).*)$/i, detail: /^\s+error: ['"]?(?![|>]-?$)(.+?)['"]?$/ },
  // cargo test
  { line: /^test .+ \.\.\. FAILED$/ },
  // jest, vitest, node --test, mocha and the like
  {
    line: /^\s*((?:●|✖|✗|✘|×|FAIL\b:?)\s+(?!\d+ problem|failing tests|Test suite failed).*\S)\s*$/,
    detail: /^\s*([A-Z]\w*Error\b[^:]*: .+)$/,
  },
  // gcc, clang, rustc, tsc, eslint, git
  { line: /^(?:.*[\s:)\]])?(?:fatal error|error|fatal)(?:\[\w+\]| TS\d+)?: \S.*$/ },
  { line: /^\s*\d+:\d+\s+error\s+\S.*$/ },
  { line: /^\S+:\d+:\d+: [A-Z]+\d+ \S.*$/ },
  // pytest, python, node, java, rust, go
  { line: /^E\s+(\w*(?:Error|Exception)\b.*)$/ },
  { line: /^E\s+(\S.*)$/ },
  { line: /^(?:Uncaught |Caused by: )?[\w.]*(?:Error|Exception)\b[^:]*: \S.*$/, wanted: 'last' },
  { line: /^(?:thread '.*' panicked at .+|panic: .+)$/ },
];

const SUCCESSES: readonly Form[] = [
  // node --test
  { line: /^(?:#|ℹ) (pass \d+)$/, wanted: 'last' },
  // vitest, jest
  { line: /^\s*(Tests:?\s+\d+ .*(?:passed|total).*)$/, wanted: 'last' },
];

/** Says nothing of the cause: a summary of counts, a package manager's own words, a frame of a stack, a rule. */
const DECORATION: readonly RegExp[] = [
  /^[^\p{L}\p{N}]*$/u,
  /^# (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /,
  /^npm notice/,
  /^npm (?:error|ERR!)\s*(?:$|(?:code|path|workspace|location|command|errno|syscall|signal|cwd|Lifecycle script|Exit status|A complete log|\/))/,
  /^Node\.js v\d/,
  /^at \S/,
];

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** @returns one line, trimmed; undefined if nothing was printed */
export const failureLine = (output: Output): string | undefined => tellingLine(output, FAILURES);

/** The same of what a successful command printed. */
export const successLine = (stdout: string): string | undefined => tellingLine({ stdout, stderr: '' }, SUCCESSES);

function tellingLine({ stdout, stderr }: Output, forms: readonly Form[]): string | undefined {
  const streams = [linesOf(stderr), linesOf(stdout)];
  for (const form of forms)
    for (const lines of streams) {
      const found = formed(lines, form);
      if (found !== undefined) return found;
    }
  for (const isWanted of [isTelling, isText])
    for (const lines of streams) {
      const last = lines.findLast(isWanted);
      if (last !== undefined) return withoutRules(last.trim());
    }
  return undefined;
}

const linesOf = (text: string): string[] => text.replace(/\r\n/g, '\n').split('\n').map(printedLine);

function formed(lines: readonly string[], { line, wanted = 'first', detail }: Form): string | undefined {
  const matches = (text: string): boolean => line.test(text);
  const at = wanted === 'first' ? lines.findIndex(matches) : lines.findLastIndex(matches);
  if (at < 0) return undefined;
  const said = part(line, lines[at] ?? '');
  const after = lines.slice(at + 1, at + 1 + DETAIL_LINES).find((text) => detail?.test(text) === true);
  return after === undefined || detail === undefined ? said : `${said}: ${part(detail, after)}`;
}

/** The captured part of a line, or all of it. */
function part(pattern: RegExp, line: string): string {
  const [all = '', captured] = pattern.exec(line) ?? [];
  return (captured ?? all).trim();
}

const isText = (line: string): boolean => line.trim() !== '';
const isTelling = (line: string): boolean => !DECORATION.some((pattern) => pattern.test(line.trim()));

/** `==== 1 failed in 0.1s ====` without its rules. */
const withoutRules = (line: string): string =>
  line.replace(/^([=_*~!-])\1{2,}\s*(?=\S)|(?<=\S)\s*([=_*~!-])\2{2,}$/g, '').trim() || line;
