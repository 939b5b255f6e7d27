export const texts = { now: 'now', today: 'Today', yesterday: 'Yesterday' } as const;
