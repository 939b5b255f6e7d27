import { within } from '../within.ts';

/** Storage that works answers sooner. A browser's storage may also be full, broken, or busy for minutes. */
const STORAGE_MS = 300;

/** Resolves with null if the storage fails, or takes too long for something that a person waits for. */
export function fromStorage<T>(coming: Promise<T>): Promise<T | null> {
  return within(
    STORAGE_MS,
    coming.catch(() => null),
  );
}
