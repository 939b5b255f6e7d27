export const texts = {
  now: 'now',
  today: 'Today',
  yesterday: 'Yesterday',
  tomorrow: 'Tomorrow',
  /** Used within a sentence. */
  yesterdayAt: (clock: string) => `yesterday, ${clock}`,
  tomorrowAt: (clock: string) => `tomorrow, ${clock}`,
  /** A time today, in place of a day. */
  at: (clock: string) => `at ${clock}`,
} as const;
