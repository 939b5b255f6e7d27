import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { scheme } from '../appearance.ts';
import { whole } from '../format/numbers.ts';

export interface PlotData {
  /** Describes the plot for screen readers. */
  readonly label: string;
  /** The bars' starts, in ms. */
  readonly startsMs: readonly number[];
  /** Overlapping bars, the last in front. `colour`: a CSS custom property. */
  readonly series: readonly { readonly values: readonly number[]; readonly colour: `--${string}` }[];
  readonly tick: (startMs: number) => string;
  /** Receives the pointed bar; null: none. */
  readonly onPoint: (index: number | null) => void;
}

const HEIGHT_PX = 160;
const COLOURS = ['--accent', '--error', '--muted', '--line'] as const;

/** Draws into an element, following size and colours until the returned function is called. */
export function drawPlot(into: HTMLElement, data: PlotData): () => void {
  let colours = coloursOf(into);
  const plot = new uPlot(
    optionsFor(data, into.clientWidth, (name) => colours.get(name) ?? ''),
    [data.startsMs.map((ms) => ms / 1_000), ...data.series.map(({ values }) => [...values])],
    into,
  );
  const canvas = plot.ctx.canvas;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', data.label);
  const recolour = (): void => {
    colours = coloursOf(into);
    plot.redraw();
  };
  const size = new ResizeObserver(() => plot.setSize({ width: into.clientWidth, height: HEIGHT_PX }));
  size.observe(into);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', recolour);
  const stop = scheme.listen(recolour);
  return () => {
    stop();
    dark.removeEventListener('change', recolour);
    size.disconnect();
    plot.destroy();
  };
}

type ColourOf = (name: string) => string;

function optionsFor(
  { startsMs: [first = 0, second = first], series, tick, onPoint }: PlotData,
  width: number,
  colourOf: ColourOf,
): uPlot.Options {
  const bars = uPlot.paths.bars?.({ size: [0.75, 48], radius: 0.15 });
  const axis = { stroke: () => colourOf('--muted'), font: '12px system-ui, sans-serif' };
  const halfBarS = (second - first) / 2_000;
  const lines = { stroke: () => colourOf('--line'), width: 1 };
  return {
    width,
    height: HEIGHT_PX,
    padding: [8, 32, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    // Room for the outer bars, which are centred on their starts.
    scales: {
      x: { range: (_plot, min, max) => [min - halfBarS, max + halfBarS] },
      y: { range: (_plot, _min, max) => [0, Math.max(max * 1.1, 4)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: lines,
        space: 64,
        size: 28,
        values: (_plot, splits) => splits.map((s) => tick(s * 1_000)),
      },
      {
        ...axis,
        grid: lines,
        ticks: { show: false },
        size: 52,
        incrs: WHOLE_STEPS,
        values: (_plot, splits) => splits.map(whole),
      },
    ],
    series: [
      {},
      ...series.map(({ colour }) => ({
        ...(bars && { paths: bars }),
        fill: () => colourOf(colour),
        width: 0,
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  };
}

/** There are no halves of events. */
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** Returns an element's custom properties, which a canvas cannot resolve. */
function coloursOf(inside: HTMLElement): ReadonlyMap<string, string> {
  const probe = inside.appendChild(document.createElement('span'));
  const found = COLOURS.map((name) => {
    probe.style.color = `var(${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return new Map(found);
}
