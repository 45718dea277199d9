/**
 * Being told of changes in a directory, for surfaces that show it. chokidar drops the last of two quick changes, so
 * whoever is told here also looks again by the clock; delivery never rests on it (that is `watch.ts`).
 */
export interface TreeWatch {
  close(): Promise<void>;
}

/**
 * @param directory its own files are watched, and nothing below
 * @param only which of them count, by path
 * @param onChange also called when the system will not watch: then only the clock is left
 */
export async function watchTree(
  directory: string,
  only: (path: string) => boolean,
  onChange: () => void,
): Promise<TreeWatch> {
  const { watch } = await import('chokidar');
  const ignored = (path: string): boolean => path !== directory && !only(path);
  const watcher = watch(directory, { depth: 0, ignoreInitial: true, ignored });
  watcher.on('all', onChange);
  watcher.on('error', onChange);
  return { close: () => watcher.close() };
}
