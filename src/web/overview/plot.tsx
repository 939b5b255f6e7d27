import { useEffect, useRef, useState } from 'preact/hooks';
import { overview as texts } from '../texts/workspace.ts';
import type { PlotData } from './draw-plot.ts';

interface Props extends Omit<PlotData, 'label' | 'onPoint'> {
  readonly title: string;
  readonly when: (startMs: number) => string;
  readonly words: (index: number) => string;
}

/** Shows bars over time, drawn by code loaded on demand. The table below repeats the figures. */
export function Plot({ title, when, words, ...data }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const { startsMs, series } = data;
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again for other figures only
  useEffect(() => {
    let end: (() => void) | null = null;
    let isGone = false;
    const draw = async (): Promise<void> => {
      const drawing = await import('./draw-plot.ts').catch(() => null);
      if (drawing === null || isGone || place.current === null) return;
      end = drawing.drawPlot(place.current, { ...data, label: texts.plots.label(title), onPoint: setPointed });
    };
    void draw();
    return () => {
      isGone = true;
      end?.();
    };
  }, [title, JSON.stringify([startsMs, series])]);
  const startMs = pointed === null ? undefined : startsMs[pointed];
  return (
    <section>
      <div class="plot-head">
        <h2 class="group">{title}</h2>
        <p class="num" aria-hidden="true">
          {startMs !== undefined && pointed !== null && texts.plots.point(when(startMs), words(pointed))}
        </p>
      </div>
      <div class="plot">
        <div ref={place} class="plot-place" />
      </div>
    </section>
  );
}
