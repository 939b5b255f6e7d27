import type { Urgency } from '../push.ts';
import { toTimestamp } from '../values/timestamp.ts';
import type { ApiSchema } from './api-types.ts';
import { shownCollapseKey } from './event-body.ts';

/** The API's reason for silence. */
export type Quiet = ApiSchema<'Quiet'>;
type QuietReason = Quiet['reason'];

/** The reason stored with an event. `untilMs`: wall clock. */
export interface StoredQuiet {
  readonly reason: QuietReason;
  readonly untilMs?: number;
  readonly by?: string;
}

/** The alert's state after the event. `waiting`: open, not yet rung. */
export type AlertOfEvent = 'opened' | 'waiting' | 'open' | 'acknowledged' | 'resolved';

/** An active window. `only`: a collapse key, or a prefix before `*`; null: all. */
export interface MaintenanceWindow {
  readonly untilMs: number;
  readonly by: string | null;
  readonly only: string | null;
}

export interface LoudnessFacts {
  /** `notice`: an alert's end or holder, or a maintenance. `assignment`: a person's reminder. */
  readonly kind: 'event' | 'reminder' | 'assignment' | 'notice';
  readonly urgency: Urgency;
  /** In its stored form. */
  readonly collapseKey: string | null;
  /** null: the event belongs to none. */
  readonly alert: AlertOfEvent | null;
  /** The holder of the acknowledged alert. */
  readonly holder?: string | null;
  readonly windows?: readonly MaintenanceWindow[];
  readonly isQuietTime?: boolean;
  /** The channel's `insist.ring_after`. */
  readonly ringAfterS?: number;
  /** Whether the channel's `rings` are used up. */
  readonly isOverRings?: boolean;
  readonly nowMs: number;
}

/** Returns the first reason for silence, or null if the push rings. The only place that decides. */
export function loudness(facts: LoudnessFacts): StoredQuiet | null {
  const { kind, urgency, alert, holder, ringAfterS = 0, isQuietTime, isOverRings, nowMs } = facts;
  if (kind === 'notice' || alert === 'resolved') return { reason: 'notice' };
  if (alert === 'acknowledged') return { reason: 'acknowledged', ...(holder && { by: holder }) };
  const window = kind === 'assignment' ? undefined : lastWindow(facts);
  if (window) return { reason: 'maintenance', untilMs: window.untilMs, ...(window.by !== null && { by: window.by }) };
  if (kind !== 'event') return null;
  if (alert === 'waiting') return { reason: 'ring_after' };
  if (alert === 'opened' && ringAfterS > 0) return { reason: 'ring_after', untilMs: nowMs + 1000 * ringAfterS };
  if (urgency === 'standard' && isQuietTime) return { reason: 'quiet_hours' };
  return isOverRings && isLimited({ urgency, alert }) ? { reason: 'storm' } : null;
}

/** Tells whether a channel's `rings` may silence an event. */
function isLimited({ urgency, alert }: Pick<LoudnessFacts, 'urgency' | 'alert'>): boolean {
  return urgency === 'standard' || alert === 'opened';
}

/** Returns the event's window that ends last. */
function lastWindow({ windows = [], collapseKey }: LoudnessFacts): MaintenanceWindow | undefined {
  return windows
    .filter(({ only }) => isCoveredBy(only, collapseKey))
    .reduce<MaintenanceWindow | undefined>(
      (last, window) => (last && last.untilMs >= window.untilMs ? last : window),
      undefined,
    );
}

/**
 * Tells whether a window covers a stored collapse key. SQL asks `window_covers`: SQLite calls this function, PostgreSQL
 * has a copy (postgres/functions/alerts.sql).
 */
export function isCoveredBy(only: string | null, collapseKey: string | null): boolean {
  if (only === null || collapseKey === null) return only === null;
  const key = shownCollapseKey(collapseKey);
  return only.endsWith('*') ? key.startsWith(only.slice(0, -1)) : key === only;
}

/** Returns the decision to store; null: it rings. */
export function storedLoudness(facts: LoudnessFacts): string | null {
  const quiet = loudness(facts);
  return quiet && JSON.stringify(quiet);
}

export function shownQuiet(stored: string | null): Quiet | null {
  if (stored === null) return null;
  const { reason, untilMs, by }: StoredQuiet = JSON.parse(stored);
  return { reason, ...(untilMs !== undefined && { until: toTimestamp(untilMs) }), ...(by !== undefined && { by }) };
}

/** English reasons for commands; German ones are in `web/texts/de/inbox.ts`. */
export const QUIET_WORDS: Readonly<Record<QuietReason, string>> = {
  notice: 'says how an alert ended or who has it',
  acknowledged: 'the alert was acknowledged',
  maintenance: 'maintenance',
  ring_after: 'the alert had not rung yet',
  quiet_hours: 'quiet hours',
  storm: 'the channel had rung as often as it may',
  not_on_call: 'someone else is on call',
};

/** Returns `maintenance until 14:00, by Ada`, for example, or `Bob is on call`. `time`: formats. */
export function whyQuiet({ reason, until, by }: Quiet, time: (at: string) => unknown): string {
  if (reason === 'not_on_call' && by !== undefined) return `${by} is on call`;
  return [
    `${QUIET_WORDS[reason]}${until === undefined ? '' : ` until ${String(time(until))}`}`,
    ...(by === undefined ? [] : [`by ${by}`]),
  ].join(', ');
}

/** Returns `Bob alone`, for example. */
export function onCallText({ name, reachable }: ApiSchema<'EventOnCall'>): string {
  return reachable
    ? `${name}; the others get it without a sound`
    : `${name} could not be reached, so it rang for everyone`;
}
