export const texts = {
  now: 'now',
  today: 'Today',
  yesterday: 'Yesterday',
  /** Within a sentence. */
  yesterdayAt: (clock: string) => `yesterday, ${clock}`,
} as const;
