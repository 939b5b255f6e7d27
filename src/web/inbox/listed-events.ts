import type { InboxEvent } from '../api/event-types.ts';

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
