import type { CountingStore } from '../../src/http/limits/rolling-windows.ts';

/** Answers like a store that no other process uses. */
export const ALONE: CountingStore = {
  countUses: async () => ({ resetAfterMs: null, at: [] }),
  takeBackUses: async () => null,
};
