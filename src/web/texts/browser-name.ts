export const texts = { on: (browser: string, system: string) => `${browser} on ${system}` } as const;
