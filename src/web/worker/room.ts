/** Android silently discards an app's notifications beyond about 50, however urgent. */
const MOST = 20;
const MOST_WITH_ALERTS = 40;

/** The deciding fields of a notification. */
interface Ranked {
  readonly tag?: string;
  readonly silent?: boolean | null;
  readonly data?: unknown;
}

/**
 * Returns notifications making room: beyond 20 those of no higher rank, lowest and oldest first. Open alerts yield only
 * to open alerts, beyond 40.
 */
export function givingWay<N extends Ranked>(next: Ranked, shown: readonly N[]): readonly N[] {
  const others = shown.filter(({ tag }) => !tag || tag !== next.tag);
  const lower = others
    .filter((other) => rankOf(other) <= rankOf(next))
    .sort((a, b) => rankOf(a) - rankOf(b) || receivedAt(a).localeCompare(receivedAt(b)));
  const beyond = (most: number, kept: number): number => Math.max(0, kept + 1 - most);
  const events = lower.filter((other) => rankOf(other) < OPEN_ALERT).slice(0, beyond(MOST, others.length));
  const left = others.length - events.length;
  const alerts = lower.filter((other) => rankOf(other) === OPEN_ALERT).slice(0, beyond(MOST_WITH_ALERTS, left));
  return [...events, ...alerts];
}

const OPEN_ALERT = 3;

/** Returns a notification's rank; 0: silent. */
function rankOf(notification: Ranked): number {
  const { alert_state: state, delivery_urgency: urgency, quiet } = dataOf(notification);
  // A silenced late push may wrongly claim that its alert is open.
  if (state === 'open' && (notification.silent !== true || quiet === true)) return OPEN_ALERT;
  if (notification.silent === true) return 0;
  return urgency === 'time_sensitive' ? 2 : 1;
}

function receivedAt(notification: Ranked): string {
  return String(dataOf(notification).received_at ?? '');
}

function dataOf({ data }: Ranked): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
}
