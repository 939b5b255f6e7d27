/**
 * Returns the size of a trial that an environment variable names, such as `CRASH_ROUNDS=50`. Rejects other words, by which
 * a trial would do nothing and pass.
 */
export function sizeFrom(variable: string, usual: number): number {
  const size = Number(process.env[variable] ?? usual);
  if (Number.isInteger(size) && size > 0) return size;
  throw new Error(`${variable} is a whole number above 0, not "${process.env[variable]}".`);
}
