/**
 * Makes one drawing: a header, the list on the left, the output on the right or below, a footer. It is always one line
 * lower than the screen, and never wider.
 */
import type { DashboardModel, DashboardSize } from './dashboard-model.ts';
import { footerOf, headerOf } from './header.ts';
import { listPane, type ListLine, type RowPlace } from './list-pane.ts';
import { messagesPane, NO_SPACE, outputPane, wholePane, type OutputSpace } from './output-pane.ts';
import { HELP } from './panes.ts';
import { PAST_HELP, pastBar, type PastBar } from './past-bar.ts';
import { faint, fitted, heading, within, type StyledLine } from './styled-line.ts';

/** From this width on, list and output are side by side. */
const WIDE = 100;
/** From this height on, a narrow screen shows the output below the list. */
const HIGH = 20;
/** Lines of messages on a wide and high screen. */
const MESSAGES = 7;

export interface Drawing {
  /** From top to bottom. */
  readonly above: readonly StyledLine[];
  /** Side by side on a wide screen; else `right` is empty. */
  readonly left: readonly StyledLine[];
  readonly right: readonly StyledLine[];
  readonly below: readonly StyledLine[];
  /** Columns of the left side. */
  readonly leftWidth: number;
  /** The rows in each line from the top of the screen, for the mouse. */
  readonly hits: readonly (readonly RowPlace[])[];
  /** Where the output is drawn. */
  readonly space: OutputSpace;
  /** In a view of the past: its bar, and the line of the screen that it is in. */
  readonly bar?: (PastBar & { readonly y: number }) | undefined;
}

export function draw(look: DashboardModel, { columns, rows }: DashboardSize): Drawing {
  // The last line stays free, because a full screen scrolls.
  const bar = look.past && { ...pastBar(look.past, columns), y: Math.max(1, rows - 3) };
  const room = Math.max(0, rows - (bar ? 4 : 3));
  const fit = (lines: readonly StyledLine[], width: number): StyledLine[] => lines.map((line) => fitted(line, width));
  const body = bodyOf(look, room, columns);
  return {
    above: fit([headerOf(look, columns)], columns),
    left: fit(
      body.left.map(({ line }) => line),
      body.leftWidth,
    ),
    right: fit(body.right, columns - body.leftWidth - 2),
    below: fit([...(bar ? [bar.line] : []), footerOf(look, columns)], columns),
    leftWidth: body.leftWidth,
    hits: [[], ...body.left.map(({ places }) => places)],
    space: body.space,
    bar,
  };
}

interface Body {
  readonly left: readonly ListLine[];
  readonly right: readonly StyledLine[];
  readonly leftWidth: number;
  readonly space: OutputSpace;
}

const unkeyed = (lines: readonly StyledLine[]): ListLine[] => lines.map((line) => ({ line, places: [] }));

function bodyOf(look: DashboardModel, room: number, columns: number): Body {
  const { pane } = look.state;
  const whole = (lines: readonly StyledLine[], space = NO_SPACE): Body => ({
    left: unkeyed(lines),
    right: [],
    leftWidth: columns,
    space,
  });
  if (pane.kind === 'help') return whole(within([heading('KEYS'), ...(look.past ? PAST_HELP : []), ...HELP], room));
  if (pane.kind !== 'team') {
    const { lines, space } = wholePane(look, room, columns);
    return whole(lines, space);
  }
  if (columns >= WIDE) {
    const leftWidth = Math.min(76, Math.floor(columns * 0.46));
    const forMessages = room >= 24 && look.shown.messages.length > 0 ? MESSAGES : 0;
    const forOutput = room - forMessages;
    const { lines: right, space } = outputPane(look, forOutput, columns - leftWidth - 2);
    const gap = Array.from({ length: Math.max(0, forOutput - right.length) }, (): StyledLine => []);
    return {
      left: listPane(look, room, leftWidth),
      right: forMessages === 0 ? right : [...right, ...gap, ...messagesPane(look, forMessages)],
      leftWidth,
      space,
    };
  }
  if (room < HIGH - 3) return { ...whole([]), left: listPane(look, room, columns) };
  const forOutput = Math.floor(room * 0.42);
  const list = listPane(look, room - forOutput - 1, columns);
  const { lines: output, space } = outputPane(look, forOutput, columns);
  return {
    left: [...list, ...unkeyed([faint('-'.repeat(columns)), ...output])],
    right: [],
    leftWidth: columns,
    space,
  };
}
