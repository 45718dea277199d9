/** A chart of one figure over time, drawn by uPlot in the page's colours. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { time } from '../formats.ts';

interface ChartProps {
  /** A description for screen readers. */
  readonly label: string;
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly name: string;
}

const HEIGHT = 150;
/** Steps between time labels: whole seconds, because labels have no fractions. */
const SECONDS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800,
  2_592_000,
];

export function Chart({ label, times, values, name }: ChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | undefined>(undefined);
  const data: UPlot.AlignedData = [times.map((at) => at / 1_000), [...values]];
  useEffect(() => {
    if (box.current === null) return undefined;
    const made = new UPlot(optionsOf(box.current, name), data, box.current);
    chart.current = made;
    const observer = new ResizeObserver(([entry]) =>
      made.setSize({ width: Math.max(200, entry?.contentRect.width ?? 200), height: HEIGHT }),
    );
    observer.observe(box.current);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const onScheme = (): void => made.redraw();
    scheme.addEventListener('change', onScheme);
    return () => {
      scheme.removeEventListener('change', onScheme);
      observer.disconnect();
      made.destroy();
    };
  }, []);
  useEffect(() => chart.current?.setData(data), [values]);
  return <div class="chart" ref={box} role="img" aria-label={label} />;
}

/** A function, because the colour scheme may change between drawings. */
const color = (box: Element, name: string) => (): string => getComputedStyle(box).getPropertyValue(name).trim();

function optionsOf(box: HTMLElement, name: string): UPlot.Options {
  const axis: UPlot.Axis = {
    stroke: color(box, '--muted'),
    grid: { stroke: color(box, '--line'), width: 1 },
    ticks: { stroke: color(box, '--line'), width: 1 },
    font: '11px system-ui, sans-serif',
  };
  return {
    width: Math.max(200, box.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_chart, _min, max) => [0, Math.max(1, Math.ceil(max * 1.1))] } },
    series: [
      {},
      {
        label: name,
        stroke: color(box, '--accent'),
        fill: color(box, '--accent-soft'),
        width: 1.5,
        points: { show: false },
        ...(UPlot.paths.bars ? { paths: UPlot.paths.bars({ size: [0.8, 24] }) } : {}),
      },
    ],
    axes: [
      { ...axis, incrs: SECONDS, values: (_chart, splits) => splits.map((at) => time(at * 1_000)) },
      { ...axis, size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] },
    ],
  };
}
