/** Notifications of the browser, for a page that nobody looks at: a request came, or the run is over. */
import { useEffect, useRef } from 'preact/hooks';
import type { PageModel } from './page-model.ts';

/** Whether the person can still be asked. */
export const canAskForNotifications = (): boolean =>
  'Notification' in globalThis && Notification.permission === 'default';

export async function askForNotifications(): Promise<void> {
  await Notification.requestPermission();
}

const LIMIT = 200;

/** What was there when the team was opened is not new. */
export function useNotifications(scene: PageModel): void {
  const known = useRef<{ scene: PageModel; requests: ReadonlySet<string>; isOver: boolean } | undefined>(undefined);
  useEffect(() => {
    const { head, problems, isOver } = scene;
    if (head === undefined || head.isReading) return;
    const open = problems.flatMap(({ request }) => request ?? []);
    const before = known.current?.scene === scene ? known.current : undefined;
    known.current = { scene, requests: new Set(open.map(({ id }) => id)), isOver };
    if (before === undefined) return;
    const asked = open.find(({ id }) => !before.requests.has(id));
    if (asked !== undefined) tell(`${head.team}: ${asked.from} waits for you`, asked.text);
    else if (isOver && !before.isOver) tell(`${head.team}: ${head.outcome ?? 'over'}`, '');
  }, [scene.version]);
}

function tell(title: string, body: string): void {
  if (!document.hidden || !('Notification' in globalThis) || Notification.permission !== 'granted') return;
  const notification = new Notification(title, { body: body.slice(0, LIMIT) });
  notification.addEventListener('click', () => globalThis.focus());
}
