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

interface Notice {
  readonly data?: unknown;
}

/**
 * Returns notifications made redundant by the next. Acknowledging all of a channel's alerts replaces those of each
 * alert and their bundle by one notice.
 */
export function findRedundant<N extends Notice>(next: Notice, shown: readonly N[]): readonly N[] {
  return shown.filter((other) => isCovered(dataOf(other), dataOf(next)));
}

/** Tells whether a bundle's notice came first and says the same: push services keep no order. */
export function isRedundant(next: Notice, shown: readonly Notice[]): boolean {
  const of = dataOf(next);
  return shown.map(dataOf).some((bundle) => {
    const isOfMany = typeof bundle.open_alerts === 'number' && bundle.open_alerts > 1;
    return isOfMany && bundle.alert_state === of.alert_state && isCovered(of, bundle);
  });
}

/**
 * Tells whether a bundle's notice covers another's alert: not newer than the bundle's newest, unchanged since. Alert
 * ids grow with time; times are the server's.
 */
function isCovered(notice: Data, bundle: Data): boolean {
  const isOfBundle = bundle.quiet === true && bundle.open_alerts !== undefined;
  const isSamePlace = notice.workspace === bundle.workspace && notice.channel === bundle.channel;
  const isNewer = String(notice.alert_id) > String(bundle.alert_id) || toldMs(notice) > toldMs(bundle);
  return isOfBundle && isNotice(notice) && isSamePlace && !isNewer;
}

/** Tells whether a notification is a notice about one ended or acknowledged alert. */
function isNotice({ alert_id: alert, alert_state: state, open_alerts: open, quiet }: Data): boolean {
  return alert !== undefined && open === undefined && quiet === true && state !== 'open';
}

/** Returns the push's time by the server's clock. */
function toldMs({ told_ms: ms }: Data): number {
  return typeof ms === 'number' ? ms : 0;
}

type Data = Readonly<Record<string, unknown>>;

function dataOf({ data }: Notice): Data {
  return typeof data === 'object' && data !== null ? (data as Data) : {};
}
