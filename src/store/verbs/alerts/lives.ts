/** An acknowledged alert is resolved so long after the last event of its key: before the next night. `meet_alert` knows it as well. */
export const IDLE_MS = 8 * 3_600_000;
