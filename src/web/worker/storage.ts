import { within } from '../within.ts';

/** Storage may be full, broken, or busy for minutes; working storage is faster. */
const STORAGE_MS = 300;

/** Returns the result; null if storage fails or takes too long for a person. */
export function fromStorage<T>(coming: Promise<T>): Promise<T | null> {
  return within(
    STORAGE_MS,
    coming.catch(() => null),
  );
}
