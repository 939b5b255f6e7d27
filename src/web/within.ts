/** Returns a promise's result, or null after the time. */
export function within<T>(ms: number, coming: Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  return Promise.race([coming, late]).finally(() => clearTimeout(timer));
}
