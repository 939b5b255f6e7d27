import type { Outcome, Route } from '../../push.ts';
import type { FeedItem, PulseItem, SentItem } from '../../server/feed/items.ts';

/** Devices' equal answers to an event. */
export interface OutcomeLine {
  readonly number: number;
  readonly at: string;
  readonly workspace: string;
  readonly channel: string;
  readonly event: string;
  readonly route: Route;
  readonly outcome: Outcome['kind'];
  readonly reason: string | null;
  readonly count: number;
  readonly afterMs: number;
}

/** The kept items, oldest first. */
export interface TailState {
  readonly pulses: readonly PulseItem[];
  readonly lines: readonly OutcomeLine[];
  readonly lastNumber: number;
}

export const EMPTY_STATE: TailState = { pulses: [], lines: [], lastNumber: 0 };

/** Five minutes of pulses, more than a screen. */
const PULSES_KEPT = 300;
const LINES_KEPT = 300;
const MINUTE_PULSES = 60;

export function withItems(tail: TailState, items: readonly FeedItem[]): TailState {
  const pulses = items.filter((item) => item.kind === 'pulse');
  const sent = items.filter((item) => item.kind === 'sent').flatMap(linesOf);
  const lines = sent.map((line, index) => ({ ...line, number: tail.lastNumber + index + 1 }));
  return {
    pulses: [...tail.pulses, ...pulses].slice(-PULSES_KEPT),
    lines: [...tail.lines, ...lines].slice(-LINES_KEPT),
    lastNumber: tail.lastNumber + lines.length,
  };
}

/** Counts the errors of the last minute. */
export function errorsOf({ pulses }: TailState, route: Route): number {
  const minute = pulses.slice(-MINUTE_PULSES).flatMap(({ routes }) => routes.filter((row) => row.route === route));
  return minute.reduce((sum, { errors }) => sum + errors, 0);
}

/** Returns events and pushes per second. */
export function ratesOf({ pulses }: TailState): {
  readonly events: readonly number[];
  readonly pushes: readonly number[];
} {
  const perSecond = (count: number, { period_ms }: PulseItem) => (period_ms > 0 ? (count * 1_000) / period_ms : 0);
  return {
    events: pulses.map((pulse) => perSecond(pulse.events, pulse)),
    pushes: pulses.map((pulse) => perSecond(acceptedIn(pulse), pulse)),
  };
}

/** Returns the newest matching lines, oldest first. */
export function matchingLines({ lines }: TailState, text: string, count: number): readonly OutcomeLine[] {
  const wanted = text.toLowerCase();
  const fits = ({ workspace, channel, event, route, outcome, reason }: OutcomeLine) =>
    [`${workspace}/${channel}`, event, route, outcome, reason ?? ''].some((part) =>
      part.toLowerCase().includes(wanted),
    );
  return count <= 0 ? [] : lines.filter(fits).slice(-count);
}

function acceptedIn({ routes }: PulseItem): number {
  return routes.reduce((sum, { accepted }) => sum + accepted, 0);
}

function linesOf({ outcomes, after_ms, kind: _, ...sent }: SentItem): Omit<OutcomeLine, 'number'>[] {
  return outcomes.map((outcome) => ({ ...sent, ...outcome, afterMs: after_ms }));
}
