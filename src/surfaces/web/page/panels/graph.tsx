/** Which member writes to which: as a ring of members, and as a list. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { EdgeRow } from '../../wire-types.ts';
import { Figure } from './labels.tsx';
import type { PageModel } from '../page-model.ts';
import { Windowed } from './windowed.tsx';
import { whole } from '../formats.ts';

const SIZE = 520;
const RADIUS = 172;
/** How many letters of a name fit beside the ring. */
const LONGEST_LABEL = 13;

interface Point {
  readonly x: number;
  readonly y: number;
  readonly angle: number;
}

export function GraphView({ scene }: { scene: PageModel }): JSX.Element {
  const [near, setNear] = useState<string | undefined>(undefined);
  const names = useMemo(() => namesOf(scene), [scene.version]);
  const edges = useMemo(() => [...scene.edges].sort((a, b) => b.count - a.count), [scene.edges]);
  const points = new Map(names.map((name, index) => [name, pointOf(index, names.length)]));
  const shown = near === undefined ? edges : edges.filter(({ from, to }) => from === near || to === near);
  return (
    <section class="view graph-view" aria-label="Messages">
      <svg viewBox={`0 0 ${SIZE} ${SIZE}`} role="group" aria-label="Who writes to whom">
        <g aria-hidden="true" class={near === undefined && edges.length > 120 ? 'many' : ''}>
          {edges.map((edge) => (
            <EdgeLine
              key={`${edge.from} ${edge.to}`}
              edge={edge}
              points={points}
              most={edges[0]?.count ?? 1}
              near={near}
            />
          ))}
        </g>
        {names.map((name) => (
          <Node key={name} name={name} point={points.get(name)} isNear={near === name} onNear={setNear} scene={scene} />
        ))}
      </svg>
      <div class="graph-list">
        <h2>
          <span class="said">{near === undefined ? 'All messages' : `Messages of ${near}`}</span>{' '}
          <Figure file="team/events.jsonl" what="messages">
            {whole(sumOf(shown))}
          </Figure>
        </h2>
        <p class="note graph-note">Messages of members and people. Messages of the runtime to the lead are in Mail.</p>
        <Windowed
          label="Pairs of members"
          count={shown.length}
          height={30}
          empty="No messages yet."
          row={(index) => {
            const edge = shown[index];
            return edge && <Pair edge={edge} most={edges[0]?.count ?? 1} />;
          }}
        />
      </div>
    </section>
  );
}

function Pair({ edge, most }: { edge: EdgeRow; most: number }): JSX.Element {
  return (
    <div class="pair">
      <span class="pair-names cut said">
        {edge.from} → {edge.to}
      </span>
      <meter min={0} max={most} value={edge.count} aria-label={`messages from ${edge.from} to ${edge.to}`} />
      <Figure file="team/events.jsonl" what={`messages from ${edge.from} to ${edge.to}`}>
        {whole(edge.count)}
      </Figure>
    </div>
  );
}

interface EdgeProps {
  readonly edge: EdgeRow;
  readonly points: ReadonlyMap<string, Point>;
  readonly most: number;
  readonly near: string | undefined;
}

function EdgeLine({ edge, points, most, near }: EdgeProps): JSX.Element | null {
  const [from, to] = [points.get(edge.from), points.get(edge.to)];
  if (from === undefined || to === undefined) return null;
  const isFar = near !== undefined && edge.from !== near && edge.to !== near;
  const width = 0.6 + 3.4 * (Math.log1p(edge.count) / Math.log1p(most));
  // The two directions of a pair bend to different sides.
  const [x, y] = [SIZE / 2 + (from.y - to.y) * 0.12, SIZE / 2 + (to.x - from.x) * 0.12];
  return (
    <path
      class={isFar ? 'edge edge-far' : 'edge'}
      d={`M${from.x},${from.y} Q${x},${y} ${to.x},${to.y}`}
      stroke-width={width}
    />
  );
}

interface NodeProps {
  readonly name: string;
  readonly point: Point | undefined;
  readonly isNear: boolean;
  readonly onNear: (name: string | undefined) => void;
  readonly scene: PageModel;
}

function Node({ name, point, isNear, onNear, scene }: NodeProps): JSX.Element | null {
  if (point === undefined) return null;
  const color = scene.members.find((one) => one.name === name)?.color;
  const isLeft = Math.cos(point.angle) < 0;
  const turn = (point.angle * 180) / Math.PI + (isLeft ? 180 : 0);
  const pick = (): void => onNear(isNear ? undefined : name);
  return (
    <g
      class={isNear ? 'node node-near' : 'node'}
      role="button"
      tabIndex={0}
      aria-pressed={isNear}
      aria-label={`Messages of ${name}`}
      onClick={pick}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        pick();
      }}
    >
      <circle cx={point.x} cy={point.y} r={6} class={color === undefined ? 'dot-lead' : `dot-${color % 5}`} />
      <text
        transform={`translate(${point.x + 12 * Math.cos(point.angle)} ${point.y + 12 * Math.sin(point.angle)}) rotate(${turn})`}
        text-anchor={isLeft ? 'end' : 'start'}
        dominant-baseline="middle"
      >
        {name.length > LONGEST_LABEL ? `${name.slice(0, LONGEST_LABEL - 1)}…` : name}
        <title>{name}</title>
      </text>
    </g>
  );
}

function pointOf(index: number, count: number): Point {
  const angle = (index / Math.max(1, count)) * 2 * Math.PI - Math.PI / 2;
  return { x: SIZE / 2 + RADIUS * Math.cos(angle), y: SIZE / 2 + RADIUS * Math.sin(angle), angle };
}

const namesOf = ({ members, edges }: PageModel): string[] => [
  ...new Set(['lead', ...members.map(({ name }) => name), ...edges.flatMap(({ from, to }) => [from, to])]),
];

const sumOf = (edges: readonly EdgeRow[]): number => edges.reduce((sum, { count }) => sum + count, 0);
