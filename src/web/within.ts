/** Returns a promise's result, or null after the time. */
export function within<T>(ms: number, coming: Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  return Promise.race([coming, late]).finally(() => clearTimeout(timer));
}

/** Storage may be full, broken, or busy for minutes; working storage is faster. */
const STORAGE_MS = 300;

/** Returns the result; null if storage fails or takes too long for a person. */
export function fromStorage<T>(coming: Promise<T>): Promise<T | null> {
  return within(
    STORAGE_MS,
    coming.catch(() => null),
  );
}
