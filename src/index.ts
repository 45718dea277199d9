/** The public API of the package. The surfaces need more: that is in `app.ts`, which the package does not export. */
export { createTeam, openTeam, Team, type TeamOptions } from './runtime/runs/api.ts';
export { apply, type Applied, type ApplyOptions } from './runtime/runs/apply/apply-api.ts';
export { refine, type RefineOptions } from './runtime/runs/refine/refine-api.ts';
export type { RefineReport } from './runtime/runs/refine/refine-report.ts';
export { agents } from './model/agent/agent-factories.ts';
export type { AgentSpec, Sandbox } from './model/agent/agent.ts';
export type { AgentKind } from './model/agent/agent-kinds.ts';
export type { Profile } from './model/board/event.ts';
export type { Message, MessageType } from './model/team/message.ts';
export type { OpenRequest } from './model/board/request.ts';
export type { Task, TaskStatus } from './model/board/task.ts';
export { AgentError, ConflictError, isTeamError, StoreError, TeamError, UsageError } from './model/text/errors.ts';
export { isOfBoard, type ShownEvent } from './model/team/shown-event.ts';
export type { TeamStatus } from './runtime/views/status.ts';
export type { Tasks, TaskInput } from './runtime/team/task-service.ts';
export type { MemberInput } from './runtime/team/membership.ts';
export type { WorkspaceChanges } from './runtime/views/workspace-changes.ts';
export type { OpenOptions } from './runtime/team/team-handle.ts';
