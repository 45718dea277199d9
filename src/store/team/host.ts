/**
 * What this machine offers, as far as a team needs it. Changes nothing except for a probe file, which is removed at
 * once.
 */
import { isTeamError } from '../../model/text/errors.ts';
import { probeFileSystem } from './create-store.ts';
import { lookAt, realDisk } from '../files/disk.ts';
import { rootPaths } from '../files/paths.ts';
import { processes } from '../../os/process-table.ts';
import { findProgram } from '../../os/program-path.ts';
import { keyPath, openToOthers } from '../user/seal.ts';
import { readUserFile } from '../user/user-file.ts';

export const findOnPath = (name: string, path: string): string | undefined => findProgram(name, path);

/** Why no team can be kept under a root; undefined when one can. */
export function fileSystemTrouble(root: string): string | undefined {
  const { root: at, teams } = rootPaths(root);
  try {
    probeFileSystem(realDisk, lookAt(realDisk, teams)?.isDirectory() === true ? teams : at);
    return undefined;
  } catch (error) {
    if (isTeamError(error)) return error.message;
    throw error;
  }
}

type KeyState =
  | { readonly kind: 'there' | 'missing' | 'damaged'; readonly path: string }
  | { readonly kind: 'open'; readonly path: string; readonly what: string; readonly cure: string };

export function keyState(): KeyState {
  const path = keyPath();
  const key = readUserFile(path);
  if (key === undefined) return { kind: 'missing', path };
  if (!/^[0-9a-f]{64}\s*$/.test(key)) return { kind: 'damaged', path };
  const open = openToOthers(realDisk, path);
  return open === undefined ? { kind: 'there', path } : { kind: 'open', path, ...open };
}

/** Whether processes can be told apart by start time and boot. */
export const canSeeProcesses = (): boolean => processes.bootId() !== '' && processes.pidNamespace() !== '';

/** The watchers that one user may have; undefined if the system has no such limit. */
export function watchLimits(): { readonly instances: number; readonly watches: number } | undefined {
  const read = (name: string): number => Number(readUserFile(`/proc/sys/fs/inotify/${name}`)?.trim() ?? NaN);
  const [instances, watches] = [read('max_user_instances'), read('max_user_watches')];
  return Number.isNaN(instances) || Number.isNaN(watches) ? undefined : { instances, watches };
}
