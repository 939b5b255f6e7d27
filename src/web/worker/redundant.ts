/** Push services may deliver the notice about several alerts before the notices about each. */
const OUT_OF_ORDER_MS = 60_000;

/** The fields of a notification that are used here. */
interface Notice {
  readonly data?: unknown;
}

/**
 * Returns the notifications that the next one makes redundant. An acknowledgement of all alerts of a channel replaces
 * each alert's notification, and that of their bundle, by a notice. The bundle's notice says it all.
 */
export function findRedundant<N extends Notice>(next: Notice, shown: readonly N[]): readonly N[] {
  const of = dataOf(next);
  if (of.quiet !== true || of.open_alerts === undefined) return [];
  return shown.filter((other) => isNotice(dataOf(other)) && isSamePlace(dataOf(other), of));
}

/** Tells whether the notice of a bundle arrived first and already says the same. */
export function isRedundant(next: Notice, shown: readonly Notice[], nowMs = Date.now()): boolean {
  const of = dataOf(next);
  if (!isNotice(of)) return false;
  return shown.map(dataOf).some((other) => {
    const { quiet, open_alerts: open, alert_state: state, shown_ms: atMs } = other;
    const isBundle = quiet === true && typeof open === 'number' && open > 1 && state === of.alert_state;
    return isBundle && isSamePlace(other, of) && nowMs - Number(atMs) < OUT_OF_ORDER_MS;
  });
}

/** Tells whether a notification is a notice about one alert that is no longer open. */
function isNotice({ alert_id: alert, alert_state: state, open_alerts: open, quiet }: Data): boolean {
  return alert !== undefined && open === undefined && quiet === true && state !== 'open';
}

function isSamePlace(a: Data, b: Data): boolean {
  return a.workspace === b.workspace && a.channel === b.channel;
}

type Data = Readonly<Record<string, unknown>>;

function dataOf({ data }: Notice): Data {
  return typeof data === 'object' && data !== null ? (data as Data) : {};
}
