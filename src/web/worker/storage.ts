import { within } from '../within.ts';

/** Working storage answers sooner. A browser's storage may also be full, broken, or busy for minutes. */
const STORAGE_MS = 300;

/** Returns the result, or null if the storage fails or takes too long for a waiting person. */
export function fromStorage<T>(coming: Promise<T>): Promise<T | null> {
  return within(
    STORAGE_MS,
    coming.catch(() => null),
  );
}
