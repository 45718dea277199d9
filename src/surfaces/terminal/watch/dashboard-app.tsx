/** Renders the dashboard with ink, and turns ink's key events into our keys. */
import { Box, Text, useInput } from 'ink';
import { useRef, type ReactElement } from 'react';
import type { Drawing } from './draw.ts';
import { Typing } from './keys.ts';
import type { StyledLine, Piece } from './styled-line.ts';
import type { DashboardSize } from './dashboard-model.ts';
import type { Key } from './dashboard-state.ts';

export interface AppProps {
  readonly drawing: Drawing;
  readonly size: DashboardSize;
  readonly onKeys: (keys: readonly Key[]) => void;
}

export function App({ drawing, size, onKeys }: AppProps): ReactElement {
  const typing = useRef(new Typing());
  useInput((input, key) => onKeys(typing.current.keys(input, key)));
  const { above, left, right, below, leftWidth } = drawing;
  return (
    <Box flexDirection="column" width={size.columns} height={Math.max(1, size.rows - 1)}>
      <Lines lines={above} />
      <Box flexGrow={1}>
        <Box flexDirection="column" width={leftWidth} flexShrink={0}>
          <Lines lines={left} />
        </Box>
        {right.length > 0 && (
          <Box flexDirection="column" marginLeft={2}>
            <Lines lines={right} />
          </Box>
        )}
      </Box>
      <Lines lines={below} />
    </Box>
  );
}

const Lines = ({ lines }: { readonly lines: readonly StyledLine[] }): ReactElement => (
  <>
    {lines.map((line, index) => (
      <Text key={index} wrap="truncate-end">
        {line.length === 0 ? ' ' : line.map((piece, at) => <Shown key={at} piece={piece} />)}
      </Text>
    ))}
  </>
);

const COLOR_NAMES: ReadonlyMap<number, string> = new Map([
  [31, 'red'],
  [32, 'green'],
  [33, 'yellow'],
  [34, 'blue'],
  [35, 'magenta'],
  [36, 'cyan'],
]);

function Shown({ piece }: { readonly piece: Piece }): ReactElement {
  const { text, color, bold = false, dim = false, inverse = false } = piece;
  const name = COLOR_NAMES.get(color ?? 0);
  return (
    <Text bold={bold} dimColor={dim} inverse={inverse} color={name ?? ''}>
      {text}
    </Text>
  );
}
