import type { CountingStore } from '../../src/http/limits/shared-limits.ts';

/** What a store answers that no other process uses. */
export const ALONE: CountingStore = {
  countUses: async () => ({ resetAfterMs: null, at: [] }),
  takeBackUses: async () => null,
};
