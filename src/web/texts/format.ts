/** The language of the texts beside: decides plurals and lists. */
export const language: string = 'en';

export const time = {
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

export const browser = { on: (browser: string, system: string) => `${browser} on ${system}` } as const;

/** The page's texts before any script runs, inserted by the build. */
export const page = {
  noScript: "pushctl's app needs JavaScript. You can also read events on the command line: pushctl event list.",
} as const;
