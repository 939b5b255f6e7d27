import type { InboxEvent } from '../api/event-types.ts';
import { msOf } from '../format/time.ts';

type AlertState = NonNullable<InboxEvent['alert']>['state'] | 'over';
/** `over`: its alert ended in an unknown way. */
export type ListedEvent = Omit<InboxEvent, 'alert'> & {
  readonly alert: { readonly id: string; readonly state: AlertState } | null;
};

/** The last loaded live alerts. `next` null: all. */
interface Live {
  readonly alerts: readonly { readonly id: string }[];
  readonly next: string | null;
}

/**
 * Returns the rows below the alerts, without events shown above. Earlier pages are not reloaded, so formerly open
 * alerts there that are no longer live are over.
 */
export function listedEvents(
  events: readonly InboxEvent[],
  { alerts, next }: Live,
  hasAlertsAbove: boolean,
): readonly ListedEvent[] {
  const live = new Set(alerts.map(({ id }) => id));
  return events.flatMap((event) => {
    const { alert } = event;
    // Events kept by earlier versions lack `alert`.
    if (!alert) return [event];
    if (live.has(alert.id)) return hasAlertsAbove ? [] : [event];
    const isKnown = next !== null || alert.state === 'resolved' || alert.state === 'expired';
    return [isKnown ? event : { ...event, alert: { ...alert, state: 'over' as const } }];
  });
}

/** Returns how an event's alert ended; null: no alert, or live. */
export function endOf({ alert }: Pick<ListedEvent, 'alert'>): 'resolved' | 'expired' | 'over' | null {
  const state = alert?.state;
  return state === undefined || state === 'open' || state === 'acknowledged' ? null : state;
}

/** The part of an event that repeats are compared by. */
interface Repeatable {
  readonly workspace: string;
  readonly channel: string | null;
  readonly level: string;
  readonly title: string;
  readonly collapse_key: string | null;
  readonly received_at: string;
}

const TOGETHER_MS = 600_000;

/**
 * Groups repeats, newest first, at the newest: same channel, level and collapse key; without a key, same title within
 * ten minutes. Errors never share a row with successes.
 */
export function repeats<E extends Repeatable>(events: readonly E[]): readonly (readonly E[])[] {
  const groups: E[][] = [];
  const latest = new Map<string, E[]>();
  for (const event of events) {
    const { workspace, channel, level, title, collapse_key: key } = event;
    const name = JSON.stringify([workspace, channel, level, key, key === null ? title : null]);
    const group = latest.get(name);
    if (group && (key !== null || isNear(group.at(-1) ?? event, event))) {
      group.push(event);
      continue;
    }
    const begun = [event];
    groups.push(begun);
    latest.set(name, begun);
  }
  return groups;
}

function isNear(later: Repeatable, earlier: Repeatable): boolean {
  return msOf(later.received_at) - msOf(earlier.received_at) <= TOGETHER_MS;
}

/** The most rows of a run, a few screens. */
const MOST = 50;

/**
 * Splits rows, newest first, into runs that the browser moves whole. `oldest`: ids that end runs, kept for the next
 * call so that new rows change only one run.
 */
export function runsOf<R>(
  rows: readonly R[],
  idOf: (row: R) => string,
  oldest: Set<string>,
): readonly (readonly R[])[] {
  const runs: R[][] = [];
  for (const row of [...rows].reverse()) {
    const run = runs.at(-1);
    if (run && run.length < MOST && !oldest.has(idOf(row))) {
      run.push(row);
    } else {
      oldest.add(idOf(row));
      runs.push([row]);
    }
  }
  return runs.reverse().map((run) => run.reverse());
}
