import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

interface Beat {
  readonly atMs: number;
  readonly queryMs: number;
  readonly timerMs: number;
  readonly load: number;
}

const EVERY_MS = 1_000;

/** How slow the machine is without pushctl: measures a plain query, a timer and the load. */
export class Pulse {
  readonly #beats: Beat[] = [];

  async run(query: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startMs = performance.now();
      const isAnswered = await query().then(
        () => true,
        () => false,
      );
      const queryMs = isAnswered ? performance.now() - startMs : 0;
      const pausedMs = performance.now();
      await pause(EVERY_MS);
      const atMs = performance.now();
      this.#beats.push({ atMs, queryMs, timerMs: atMs - pausedMs - EVERY_MS, load: loadavg()[0] ?? 0 });
    }
  }

  /** In words, for a message. */
  between(fromMs: number, toMs: number): string {
    const beats = this.#beats.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs + EVERY_MS);
    const most = (read: (beat: Beat) => number) => Math.max(0, ...beats.map(read));
    const [queryMs, timerMs] = [most((beat) => beat.queryMs), most((beat) => beat.timerMs)].map(Math.round);
    return `a plain query took up to ${queryMs} ms, a timer was late by up to ${timerMs} ms, load up to ${most((beat) => beat.load).toFixed(1)}`;
  }

  /** The load and the plain query of the whole run, in words. */
  inWords(): string {
    const sorted = (read: (beat: Beat) => number) => this.#beats.map(read).toSorted((a, b) => a - b);
    const loads = sorted(({ load }) => load);
    const queries = sorted(({ queryMs }) => queryMs);
    const at = (values: readonly number[], share: number) => values[Math.floor((values.length - 1) * share)] ?? 0;
    return `load ${at(loads, 0).toFixed(1)} to ${at(loads, 1).toFixed(1)} (median ${at(loads, 0.5).toFixed(1)}); a plain query took ${Math.round(at(queries, 0.5))} ms (median), ${Math.round(at(queries, 0.99))} ms (99 %)`;
  }
}
