/** As much of a notification as decides. */
interface Told {
  readonly data?: unknown;
}

/**
 * Returns the notifications that the next one makes needless. Whoever takes all alerts of a channel sends a notice in the
 * place of each, and one in the place of their bundle: that one says it all.
 */
export function saidAgain<N extends Told>(next: Told, shown: readonly N[]): readonly N[] {
  const of = dataOf(next);
  if (of.quiet !== true || of.open_alerts === undefined) return [];
  return shown.filter((other) => {
    const { alert_id: alert, alert_state: state, open_alerts: open, quiet, workspace, channel } = dataOf(other);
    const isNotice = alert !== undefined && open === undefined && quiet === true && state !== 'open';
    return isNotice && workspace === of.workspace && channel === of.channel;
  });
}

function dataOf({ data }: Told): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
}
