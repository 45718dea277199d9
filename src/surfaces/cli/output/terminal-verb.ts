/** The process that writes to the terminal for a lead; started by `runtime/process/terminal-process.ts`. */

/** @returns the exit code, when its lead needs it no longer */
export async function showTerminal(): Promise<number> {
  const { serveTerminal } = await import('../../terminal/terminal-main.ts');
  await serveTerminal();
  return 0;
}
