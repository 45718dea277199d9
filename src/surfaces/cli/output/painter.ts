/** Members in their colours, where the terminal has any. */
import { COLORS, paint, safeLine, type TeamReader } from '../../../app.ts';
import type { CliContext } from '../context.ts';

/** Shows a name, or a text about its bearer; the text is made safe. */
export type Painter = (name: string, text?: string) => string;

export function painter(context: CliContext, { config }: Pick<TeamReader, 'config'>): Painter {
  if (!context.isColorful) return (name, text = name) => safeLine(text);
  const colors = new Map<string, number>(config.read()?.members.map(({ name, color }) => [name, color]));
  return (name, text = name) => {
    const color = colors.get(name) ?? 0;
    return COLORS.some((one) => one === color) ? paint(safeLine(text), color) : safeLine(text);
  };
}
