/** Colours member names, if the terminal supports colours. */
import { COLORS, paint, safeLine, type TeamReader } from '../../../app.ts';
import type { CliContext } from '../context.ts';

/** Colours a name, or a text about that member, and makes the text safe for a terminal. */
export type Painter = (name: string, text?: string) => string;

export function painter(context: CliContext, { config }: Pick<TeamReader, 'config'>): Painter {
  if (!context.isColorful) return (name, text = name) => safeLine(text);
  const colors = new Map<string, number>(config.read()?.members.map(({ name, color }) => [name, color]));
  return (name, text = name) => {
    const color = colors.get(name) ?? 0;
    return COLORS.some((one) => one === color) ? paint(safeLine(text), color) : safeLine(text);
  };
}
