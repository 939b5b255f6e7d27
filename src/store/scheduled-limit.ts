/**
 * So many events of a workspace may wait for their time: they lie among those that lists look at. What was taken back
 * lies there still, so it counts for a day. PostgreSQL has both numbers in `within_waiting`.
 */
export const MOST_HELD_BACK = 1_000;
export const TAKEN_BACK_MS = 86_400_000;
