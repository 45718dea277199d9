/**
 * What the surfaces may use. Command line, MCP server, terminal view and web page import only this module, nothing else
 * below it. The package does not export it, so its names may change.
 */
export * from './index.ts';
export type { ProgramIsolate } from './policy/sandbox/program-isolation.ts';
export { notEnforcedText } from './model/team/not-enforced.ts';
export { AGENT_KINDS } from './model/agent/agent-kinds.ts';
export { AUTO, parseAgentFlag, sandboxSchema, shellWords } from './model/agent/agent.ts';
export { BACKEND_WORDS, SINGLE_BACKEND_WORDS } from './model/pipeline/backend.ts';
export { type MergedConfig } from './model/config/config-layers.ts';
export { type EngineAddress, parseEngineAddress, shownAddress } from './model/config/engine-address.ts';
export { keepRelay, type ReplicaOfStore } from './runtime/relay/keep-relay.ts';
export { openNamedReplica, replicaOfNamed, type NamedStore } from './runtime/relay/named-replica.ts';
export { endUnfinishedMoves } from './runtime/relay/end-moves.ts';
export { moveToFiles, moveToStore } from './runtime/relay/migrate-team.ts';
export { departureOf, isMovingIn, movesIn } from './store/replica/unfinished-moves.ts';
export { isReplica, newTeam } from './runtime/relay/new-team.ts';
export { serveHost } from './runtime/host/host.ts';
export { machineName } from './store/replica/elsewhere.ts';
export { serveReplica } from './runtime/relay/relay.ts';
export { takeFromEngine } from './runtime/relay/take-from-engine.ts';
export { checkEngine, type EngineReport, initEngine, parseEngineGrant } from './store/engine/engine-setup.ts';
export { configuredAgents } from './model/config/config.ts';
export { count, emptyBoard, type Board } from './model/board/board.ts';
export { didYouMean, didYouMeanOr } from './model/text/did-you-mean.ts';
export { isPublicKey, keysIn, noPublicKey } from './model/text/public-key.ts';
export { noDuration, parseDuration } from './model/text/duration.ts';
export { parseMoment, type Moment } from './model/text/moment.ts';
export { profileSchema, type Change } from './model/board/event.ts';
export { MCP_HOSTS } from './model/team/host-entry.ts';
export { MESSAGE_TYPES } from './model/team/message.ts';
export { ENV } from './model/text/environment.ts';
export { isName, LEAD, type Name, parseMemberName, parseName } from './model/text/names.ts';
export { parsePlan, type Plan } from './model/plan/plan.ts';
export { check, isMap } from './model/text/document-problem.ts';
export { readyCheckpoints } from './model/board/listed-tasks.ts';
export type { OpenRequest } from './model/board/request.ts';
export { resolveTask } from './model/board/task-reference.ts';
export { toolOutputSchema } from './model/team/tool-output.ts';
export {
  isToolName,
  parseToolInput,
  toolFacts,
  type ToolInputs,
  toolJsonSchema,
  type ToolName,
} from './model/team/tool.ts';
export { longestRun } from './model/text/repeated-characters.ts';
export { printedLine, safeJson, safeLine, safeText, shownPath } from './model/text/safe-text.ts';
export { timestamp } from './model/text/clock.ts';
export { paint, timeOfDay } from './model/team/colors-and-times.ts';
export { isFinal, isInternal, isResolved, TASK_STATUSES } from './model/board/task.ts';
export type { Fact } from './model/team/shown-event.ts';
export type { TaskCommand } from './model/board/vouched-commands.ts';
export { METERS, parseLimit } from './model/team/budget.ts';
export type { Prices, Spending } from './model/team/spending-sum.ts';
export {
  budgetLines,
  budgetWaits,
  openDayLedger,
  setDayLimits,
  setLimits,
  settleLost,
  type LimitChange,
} from './runtime/budget/limits.ts';
export { COLORS } from './model/team/team-config.ts';
export { placeOfMember } from './model/member/member-status.ts';
export { parseRounds, refineRequest } from './policy/refine/refine-request.ts';
export { askedPermissions, type AskedPermission } from './policy/permission-answer.ts';
export { forbidAgain } from './runtime/team/requests.ts';
export { cardOf, columnsOf, type Card, type BoardColumn } from './policy/view/board-columns.ts';
export { SpendingBy } from './policy/view/spending-by.ts';
export { criticalPath } from './policy/view/critical-path.ts';
export { LOG_LEVELS, logLevelOf, type LogLevel } from './policy/view/log-level.ts';
export { type MessageSummary } from './policy/view/message-flow.ts';
export { remainingOf } from './policy/view/remaining-time.ts';
export { type TeamProblem } from './policy/view/team-problems.ts';
export { workedMs, type ClaimSpan } from './policy/view/claim-spans.ts';
export { isSpeech, type TeamProjection } from './policy/view/team-projection.ts';
export { pipelineGraph } from './policy/pipeline/pipeline-graph.ts';
export { continueProcess, duration, teamCancelled, teamForceCancelled } from './policy/mail-wording.ts';
export { requireAvailable } from './runtime/agents/availability.ts';
export { memberWithToken } from './runtime/team/authentication.ts';
export { starterIn } from './runtime/process/starter.ts';
export { logOnBus, sessionTeam } from './runtime/team/bus-log.ts';
export { changedTexts, changesSince, type ChangedText } from './runtime/views/workspace-changes.ts';
export { builtPage } from './runtime/views/built-page.ts';
export { perspectiveAgents } from './runtime/agents/perspective-agents.ts';
export type { Clock } from './model/text/clock.ts';
export { realClock } from './os/system-clock.ts';
export { afterRunning, runningLimit } from './os/work-timer.ts';
export { roomIn } from './os/output-queue.ts';
export { outputTail } from './os/output-tail.ts';
export { isInForeground } from './os/process-table-linux.ts';
export { configuredStore, loadConfig } from './runtime/team/configuration.ts';
export { type ToolCall, type ToolContext } from './runtime/tools/tool-context.ts';
export { MailboxWatch } from './runtime/tools/mailbox-watch.ts';
export { detachLead, type DetachedPlace } from './runtime/process/detach.ts';
export { TerminalProcess, type TerminalNews, type TerminalOrder } from './runtime/process/terminal-process.ts';
export { diagnose } from './runtime/setup/doctor.ts';
export { isHostWord } from './model/team/host-label.ts';
export { requireHosts, requireHostsAhead } from './runtime/placement/required-hosts.ts';
export { configureMember } from './runtime/lead/configure-member.ts';
export { TwoLogs } from './runtime/views/merged-log.ts';
export { eventLine } from './runtime/views/event-line.ts';
export { exportOf, type TeamExport } from './runtime/views/export.ts';
export {
  followEvents,
  followMail,
  followOutput,
  followTaskLines,
  followTeamLines,
  knownMember,
  mailCame,
  mailMark,
  mailOf,
  outputOf,
  outputPage,
} from './runtime/views/follow.ts';
export { SubjectLines, TeamOutput, type OutputLine } from './runtime/views/team-output.ts';
export { hostSetup, printedEntry, writeHostSetup } from './runtime/setup/host-setup.ts';
export { hasOwnPlan, OWN_PLAN, ownCommands } from './runtime/setup/first-plan.ts';
export { initPlan, initProject } from './runtime/setup/init.ts';
export { join, serve } from './runtime/teammate/join.ts';
export { startWorkerReaper } from './runtime/agents/worker-reaper.ts';
export { type ExitReason } from './runtime/teammate/announce-exit.ts';
export { judgeTask, reviseTask } from './runtime/lead/task-judgement.ts';
export { HostLeadContext } from './runtime/runs/host-lead-context.ts';
export { carryOutUndo } from './runtime/runs/undo/carry-out-undo.ts';
export { makeBranch } from './runtime/runs/apply/apply-branch.ts';
export { openerFor, openPullRequest, pushBranch, pushTarget, shownCommand } from './runtime/runs/apply/push-branch.ts';
export { pullRequestText } from './runtime/views/pull-request-text.ts';
export { applyLanded, planApply } from './runtime/runs/apply/apply-landed.ts';
export type { ApplyPlan } from './runtime/runs/apply/change-files.ts';
export { carryOutTaskUndo, planTaskUndo } from './runtime/runs/apply/undo-task.ts';
export { requireApplied, unappliedIn } from './runtime/trees/landed-work.ts';
export { interruptedUndo } from './runtime/runs/undo/undo-words.ts';
export { planUndo, type UndoPlan } from './runtime/runs/undo/undo.ts';
export { endedRun, type EndedRun } from './runtime/runs/ended-run.ts';
export { closeTeam } from './runtime/runs/close-team.ts';
export { leadTeam, resumeTeam } from './runtime/runs/lifecycle.ts';
export { isLed, requestSpawn } from './runtime/runs/living-lead.ts';
export { currentPlan } from './runtime/runs/plan/kept-plan.ts';
export {
  carryOutUpdate,
  compareWithTeam,
  earlierPlanOf,
  finishUpdate,
  type TeamUpdate,
} from './runtime/runs/up/update-team.ts';
export { differenceLines, differenceSummary, lostWork } from './policy/up/difference-text.ts';
export { isSamePlan } from './policy/up/plan-difference.ts';
export { agentRuleVariables } from './runtime/lead/lead-options.ts';
export { encodeCutOffAfter, encodeTrust } from './runtime/team/teammate-env.ts';
export { retryTasks } from './runtime/runs/retry-tasks.ts';
export { shutdownAhead } from './runtime/views/shutdown-ahead.ts';
export { listedTeams } from './runtime/views/listing.ts';
export { MailIndex, type MailRow, type MailWanted } from './runtime/team/mail-index.ts';
export { memberToolContext } from './runtime/tools/member-tool-context.ts';
export {
  type GivenPlan,
  isPlanWord,
  looksLikePlan,
  withDefaultAgent,
  missingPlan,
  type PlanContext,
  planInFile,
  planInText,
  planNear,
} from './runtime/runs/plan/plan-source.ts';
export { makePipelineTeam } from './runtime/runs/pipeline/pipeline-run.ts';
export {
  ejectPipeline,
  type GivenPipeline,
  listPipelines,
  pipelineNamed,
} from './runtime/runs/pipeline/pipeline-shelf.ts';
export { chooseAgent } from './runtime/agents/probes.ts';
export { type RefineAsk, type RefinePlace } from './runtime/runs/refine/refine-setup.ts';
export { refineAt, type RefineProgress } from './runtime/runs/refine/run-refine.ts';
export { relayOnce } from './runtime/runs/refine/relay-once.ts';
export { type Report, type ReportFailure, reportText } from './runtime/views/report-text.ts';
export { reportOf } from './runtime/views/report.ts';
export {
  abandonedRuns,
  otherWriters,
  type StartDecision,
  decideStart,
  inspectExistingRun,
} from './runtime/runs/existing-run.ts';
export { type PlanPreview, previewPlan } from './runtime/runs/plan/plan-preview.ts';
export { isolationModeSchema, modeOf, needsOf, type IsolationMode } from './model/team/isolation.ts';
export { makePlannedTeam, planHash, type PlannedFrom } from './runtime/runs/plan/planned-team.ts';
export { type RunOptions, runTeam } from './runtime/runs/run.ts';
export { routeText } from './runtime/runs/route.ts';
export { type RunAsk, runAsk } from './runtime/runs/run-arguments.ts';
export { type SessionOptions } from './runtime/runs/session.ts';
export { copiedFrom, setAsideBroken } from './runtime/team/repair-team.ts';
export { shownPage, type ShownPage, type WantedPage } from './runtime/views/file-page.ts';
export { problemsIn, statusOf } from './runtime/views/status.ts';
export { createTask, type TaskExtras, updateTask } from './runtime/tools/task-change.ts';
export { endTask, type TaskEnd } from './runtime/tools/task-end.ts';
export { resultOf, taskHistory } from './runtime/views/task-history.ts';
export {
  type ResolvedTaskRun,
  resolveTaskRun,
  generatedName,
  isSameTask,
  makeGeneratedTeam,
  makeTaskTeam,
  type PlannedTask,
  planTask,
  archiveFinished,
  unfinishedRun,
} from './runtime/runs/task-run.ts';
export { ownPublicKey } from './store/user/signature.ts';
export { trustedKeys, trustKey } from './store/user/trust.ts';
export { trustProject, trustTeam, type Unproved } from './runtime/setup/team-doctor.ts';
export { teamEvents, teamNews } from './runtime/views/team-events.ts';
export { TimeSlices } from './runtime/process/time-slices.ts';
export { TeamWatch, type TeamSnapshot, type TeamWatchOptions } from './runtime/views/team-watch.ts';
export { openHandle, TeamHandle } from './runtime/team/team-handle.ts';
export { toolsOf, useTool } from './runtime/tools/toolbox.ts';
export type { Permissions } from './policy/sandbox/effective-sandbox.ts';
export { memberPermissions } from './runtime/lead/member-permissions.ts';
export { waitForEnd } from './runtime/team/wait-for-end.ts';
export { contribute, parseWisdomFile } from './runtime/team/wisdom-contribution.ts';
export { replay, type ReplayResult } from './runtime/replay/replay.ts';
export { readCase, recordingOf, saveCase } from './store/session/recorded-run.ts';
export { replayText } from './policy/replay-text.ts';
export { TeamPlayback, type PastPlace } from './runtime/past/team-playback.ts';
export { PastWatch, type PastMove, type PastShown } from './runtime/past/past-watch.ts';
export { teamAt, type TeamMoment } from './runtime/past/team-moment.ts';
export { why, whyText, type Why } from './runtime/views/why.ts';
export type { RunOutcome } from './policy/run-outcome.ts';
export type { WhyLimits } from './runtime/views/why-facts.ts';
export { openWorkspace, type Workspace } from './runtime/tools/tool-workspace.ts';
export { excludeFromGit } from './store/workspace/exclude.ts';
export { newId } from './store/files/new-ids.ts';
export { storedLine } from './store/mail/mail-lines.ts';
export { teamPaths, type TeamPaths } from './store/files/paths.ts';
export { findPrunable, finishPruning, type Prunable } from './runtime/setup/prune.ts';
export { cwdOf, openForReading, stateIn, type TeamReader } from './store/team/team-reader.ts';
export { type AnsweringLead, answerAsLead, placeOf, type VerbRequest } from './store/user/lead-exchange.ts';
export { frequentBundle } from './runtime/process/package.ts';
export {
  archiveStamp,
  findRoot,
  findTeam,
  type ListedTeam,
  listTeams,
  longestBoardLog,
} from './store/team/team-list.ts';
export { archiveRemains, remainsOf } from './store/team/remains.ts';
export {
  appendTranscript,
  readTranscript,
  removeTranscript,
  transcriptIds,
  type TranscriptRecord,
} from './store/user/editor-transcript.ts';
export { isDirectory, isNoDirectory, utf8Text } from './store/user/user-file.ts';
export { rewriteUserFile } from './store/user/user-file-writer.ts';
export { readWisdom } from './store/session/wisdom-store.ts';
export type { Check } from './runtime/setup/doctor-check.ts';
export { sessionOptions } from './runtime/runs/session-options.ts';
