/** The public API, by explicit names. Programs use the first group; the surfaces use both, and nothing else. */

// For people: two doors, and what they speak of.
export { createTeam, openTeam, Team, type TeamOptions } from './runtime/api.ts';
export { refine, type RefineOptions } from './runtime/refining.ts';
export type { RefineReport } from './runtime/refine-report.ts';
export { agents } from './model/agent-factories.ts';
export type { AgentKind, AgentSpec, Sandbox } from './model/agent.ts';
export type { Profile } from './model/event.ts';
export type { Message, MessageType } from './model/message.ts';
export type { Task, TaskStatus } from './model/task.ts';
export { AgentError, ConflictError, isTeamError, StoreError, TeamError, UsageError } from './model/errors.ts';
export { isOfBoard, type ShownEvent } from './model/shown-event.ts';
export type { TeamStatus } from './runtime/status.ts';
export type { Tasks, TaskInput } from './runtime/tasks.ts';
export type { MemberInput } from './runtime/membership.ts';
export type { OpenOptions } from './runtime/team.ts';

// For surfaces.
export { AUTO, parseAgentFlag, sandboxSchema, shellWords } from './model/agent.ts';
export { BACKEND_WORDS } from './model/backend.ts';
export { type MergedConfig } from './model/config-layers.ts';
export { configuredAgents } from './model/config.ts';
export { count } from './model/board.ts';
export { didYouMean } from './model/did-you-mean.ts';
export { parseDuration } from './model/duration.ts';
export { profileSchema } from './model/event.ts';
export { MCP_HOSTS } from './model/host-entry.ts';
export { MESSAGE_TYPES } from './model/message.ts';
export { isName, LEAD, type Name, parseMemberName, parseName } from './model/names.ts';
export { describePlan } from './model/plan-view.ts';
export { parsePlan, type Plan } from './model/plan.ts';
export { check } from './model/problem.ts';
export { resolveTask } from './model/reference.ts';
export { parseToolInput, toolFacts, type ToolInputs, toolJsonSchema, type ToolName } from './model/tool.ts';
export { safeJson, safeLine, safeText } from './model/safe-text.ts';
export { paint, timeOfDay } from './model/shown.ts';
export { isInternal, isResolved, TASK_STATUSES } from './model/task.ts';
export type { Spending } from './model/spending.ts';
export { COLORS } from './model/team.ts';
export { parseRounds, refineRequest } from './policy/refine-request.ts';
export { cardOf, columnsOf, COLUMNS, type Card, type Column } from './policy/view/columns.ts';
export { criticalPath, type CriticalPath } from './policy/view/critical-path.ts';
export { type Passed } from './policy/view/message-flow.ts';
export { type Problem } from './policy/view/problems.ts';
export { workedMs, type Span } from './policy/view/spans.ts';
export { isSpeech, type Story, throughput } from './policy/view/story.ts';
export { pipelineGraph } from './policy/pipeline-graph.ts';
export { duration as shortDuration, teamCancelled, teamForceCancelled } from './policy/wording.ts';
export { mustBeAvailable } from './runtime/availability.ts';
export { logOnBus, sessionTeam } from './runtime/bus.ts';
export { changesSince } from './runtime/changes.ts';
export { builtPage } from './runtime/built-page.ts';
export { perspectiveAgents } from './runtime/perspective-agents.ts';
export { realClock } from './runtime/clock.ts';
export { loadConfig } from './runtime/configuration.ts';
export { type Call, type Desk } from './runtime/desk.ts';
export { DeskWatch } from './runtime/desk-watch.ts';
export { detachLead } from './runtime/detach.ts';
export { diagnose } from './runtime/doctor.ts';
export { equip } from './runtime/equip.ts';
export { eventLine } from './runtime/event-line.ts';
export { exportOf, type TeamExport } from './runtime/export.ts';
export {
  followEvents,
  followMail,
  followOutput,
  knownMember,
  mailCame,
  mailMark,
  mailOf,
  outputOf,
} from './runtime/follow.ts';

export { hostSetup, printedEntry, writeHostSetup } from './runtime/host-setup.ts';
export { initPlan, initProject } from './runtime/init.ts';
export { join, type JoinOptions, serve } from './runtime/join.ts';
export { judgeTask, reviseTask } from './runtime/judgement.ts';
export { LeadingDesk } from './runtime/lead-desk.ts';
export { closeTeam, isLed, leadTeam, loadPlan, requestSpawn, resumeTeam, savePlan } from './runtime/lifecycle.ts';
export { rulesFor } from './runtime/lead-options.ts';
export { listedTeams } from './runtime/listing.ts';
export { commandLine } from './runtime/package.ts';
export { MailBook, type MailRow, type MailWanted } from './runtime/mail-book.ts';
export { memberDesk } from './runtime/member-desk.ts';
export {
  type GivenPlan,
  isPlanWord,
  looksLikePlan,
  mannedBy,
  missingPlan,
  type PlanContext,
  planInFile,
  planInText,
  planNear,
} from './runtime/plan-source.ts';

export { makePipelineTeam } from './runtime/pipeline-run.ts';
export { ejectPipeline, type GivenPipeline, listPipelines, pipelineNamed } from './runtime/pipelines.ts';
export { chooseAgent } from './runtime/probes.ts';
export { type RefineAsk, type RefinePlace } from './runtime/refine-setup.ts';
export { refineAt, type RefineProgress } from './runtime/refine.ts';
export { relayOnce } from './runtime/relay.ts';
export { type Report, reportText } from './runtime/report-text.ts';
export { keepReport, reportOf } from './runtime/report.ts';
export { abandonedRuns, type Choice, choose, meet } from './runtime/run-choice.ts';
export { makePlannedTeam, planHash, type RunOptions, runTeam } from './runtime/run.ts';
export { routeText } from './runtime/route.ts';
export { type RunAsk, runAsk } from './runtime/run-words.ts';
export { Session, type SessionOptions } from './runtime/session.ts';
export { setAsideBroken } from './runtime/set-aside.ts';
export { shownPage, type ShownPage, type WantedPage } from './runtime/shown-file.ts';
export { statusOf } from './runtime/status.ts';
export { createTask, type TaskExtras, updateTask } from './runtime/task-change.ts';
export { endTask, type TaskEnd } from './runtime/task-end.ts';
export { resultOf, taskHistory } from './runtime/task-past.ts';
export {
  type CastTask,
  castTask,
  generatedName,
  isOf,
  makeGeneratedTeam,
  type PlannedTask,
  planTask,
  putAwayFinished,
  unfinishedRun,
} from './runtime/task-run.ts';

export { trustProject, trustTeam } from './runtime/team-doctor.ts';
export { teamEvents } from './runtime/team-events.ts';
export { TeamWatch, type Sight, type WatchOptions } from './runtime/team-watch.ts';
export { makeTeam, openHandle, storeOptions, TeamHandle, type TeamInput } from './runtime/team.ts';
export { toolsOf, useTool } from './runtime/toolbox.ts';
export { leaveOf, type Leave } from './runtime/member-leave.ts';
export { waitForEnd } from './runtime/waiting.ts';
export { contribute, parseWisdomFile } from './runtime/wisdom.ts';
export { why, whyText } from './runtime/why.ts';
export type { WhyLimits } from './runtime/why-facts.ts';
export { openWorkspace, type Workspace } from './runtime/workspace.ts';
export { excludeFromGit } from './store/exclude.ts';
export { storedLine } from './store/mail-lines.ts';
export { type TeamPaths } from './store/paths.ts';
export { archivedBefore } from './store/prune.ts';
export { pruneTeams } from './runtime/prune.ts';
export { openForReading, type TeamReader } from './store/team-reader.ts';
export { findRoot, findTeam, type ListedTeam, listTeams } from './store/teams.ts';
export { isDirectory, rewriteUserFile } from './store/user-file.ts';
export { readWisdom } from './store/wisdom.ts';
export type { Check } from './runtime/doctor-check.ts';
export { sessionOptions } from './runtime/session-options.ts';
