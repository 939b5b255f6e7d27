const MINUTE_MS = 60_000;

interface EventTimes {
  /** Undefined: stored before an upgrade. */
  readonly occurred_at?: string | null;
  readonly received_at: string;
}

/** Returns when an event happened, if over a minute from its receipt; else null. */
export function happenedAt({ occurred_at: occurred = null, received_at: received }: EventTimes): string | null {
  const isApart = occurred !== null && Math.abs(Date.parse(occurred) - Date.parse(received)) > MINUTE_MS;
  return isApart ? occurred : null;
}
