export const texts = {
  mute: 'Mute',
  title: (channel: string) => `Mute ${channel}`,
  anHour: 'For an hour',
  untilEight: (time: string) => `Until ${time}`,
  forGood: 'Until I unmute it',
  unmute: 'Unmute',
  atAllTimes: 'At all other times',
  allLevels: 'Events of all levels',
  /** Events that still arrive, by lowest level. */
  levels: {
    success: 'All but informational events',
    warning: 'Warnings and errors only',
    error: 'Errors only',
  },
  until: (time: string) => `Muted until ${time}`,
  untilFurtherNotice: 'Muted until further notice',
  afterwards: (muted: string, level: string) => `${muted}. After that: ${level}`,
} as const;
