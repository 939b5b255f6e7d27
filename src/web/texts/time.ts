export const texts = {
  now: 'now',
  today: 'Today',
  yesterday: 'Yesterday',
  tomorrow: 'Tomorrow',
  /** Within a sentence. */
  yesterdayAt: (clock: string) => `yesterday, ${clock}`,
  tomorrowAt: (clock: string) => `tomorrow, ${clock}`,
  /** Of today, where others name a day. */
  at: (clock: string) => `at ${clock}`,
} as const;
