/**
 * How much the layers of docs/reliability.md do. Each line: on each commit, under `npm run test:stress`, and with `--
 * --long`, whose numbers are those of the table there. `scripts/stress.mjs` chooses by `STRESS`.
 */
const RUNS = ['commit', 'short', 'long'] as const;
const run = RUNS.find((one) => one === process.env['STRESS']) ?? 'commit';

const size = (...sizes: readonly [commit: number, short: number, long: number]): number =>
  sizes[RUNS.indexOf(run)] ?? sizes[0];

export const SIZES = {
  /** In the recovery from each fault of the sweep. */
  secondFaults: size(0, 1, 20),
  /** Of the lead at each point of a teammate's start. */
  spawnDeaths: size(1, 5, 50),
  modelRuns: size(150, 1_000, 20_000),
  /** The same on a store, where each command waits for a server. */
  sharedModelRuns: size(8, 100, 2_000),
  /** Random stories of a team, of which `why` must tell the same from few records as from all. */
  stories: size(20, 300, 5_000),
  fuzzedLines: size(50_000, 200_000, 1_000_000),
  aimedKills: size(300, 1_000, 10_000),
  aimedStops: size(30, 100, 2_000),
  /** Every so many-th file call of a work is one at which its process stops. */
  stallStride: size(4, 1, 1),
  /** Acknowledged messages of the campaign, during which a process is killed or stopped again and again. */
  campaignKills: size(3, 40, 250),
  campaignMail: size(2_000, 20_000, 130_000),
  writers: size(32, 32, 64),
  writes: size(500, 1_000, 10_000),
  stampedeRounds: size(300, 1_000, 10_000),
  stampede: size(8, 8, 32),
  racers: size(32, 32, 32),
  raceRounds: size(300, 1_000, 10_000),
  /** Of a store: each round is a commit for the winner, and 31 questions that lose. */
  sharedRaceRounds: size(20, 200, 2_000),
  sharedWriters: size(8, 16, 32),
  sharedWrites: size(50, 500, 5_000),
  takeovers: size(20, 100, 2_000),
  wakeUps: size(200, 2_000, 100_000),
  blindWakeUps: size(40, 200, 2_000),
  /** Of a lead by kill -9, with its teammates at work; `doubleFaults`: of its reaper at the same time. */
  leadDeaths: size(20, 50, 200),
  doubleFaults: size(2, 20, 200),
  diskFillings: size(50, 100, 1_000),
  resumes: size(1, 5, 200),
  /** Runs of a team with one budget, whose members and leads are killed again and again. */
  budgetRuns: size(1, 5, 50),
  rpcFrames: size(5_000, 100_000, 1_000_000),
  /** A host that disconnects after each step of a life: in one way for each step, or in every way. */
  hostDeaths: run === 'commit' ? 'each' : 'all',
};

/** For tests of which a long run does a hundred times as much. */
export const TIMEOUT_MS = size(60_000, 600_000, 6 * 3_600_000);
