/** An acknowledged alert is resolved so long after the last event of its key: before the next night. `meet_alert` knows it as well. */
export const IDLE_MS = 8 * 3_600_000;

/** Conditions on rows of `alert`. SQLite takes the index of those that live only where the first stands in a query to the letter. */
export const IS_LIVE = "alert.state IN ('open', 'acknowledged')";
export const IS_OPEN = `${IS_LIVE} AND alert.state = 'open'`;
