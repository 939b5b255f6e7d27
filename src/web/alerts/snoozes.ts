const SHORTEST_S = 300;
const LONGEST_S = 86_400;
const EIGHT = 8;

/** For how long an alert may be put off, in seconds. */
export const SNOOZES = {
  halfAnHour: () => 1_800,
  twoHours: () => 7_200,
  untilEight: untilEightS,
} as const;

/** Until it is eight in the morning here, as far as the server puts anything off. */
export function untilEightS(now = new Date()): number {
  const seconds = Math.round((nextEight(now).getTime() - now.getTime()) / 1_000);
  return Math.min(Math.max(seconds, SHORTEST_S), LONGEST_S);
}

/** When it is eight in the morning here next. */
export function nextEight(now: Date): Date {
  const eight = new Date(now);
  eight.setHours(EIGHT, 0, 0, 0);
  if (eight <= now) eight.setDate(eight.getDate() + 1);
  return eight;
}
