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
