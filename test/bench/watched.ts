import type { Server } from './site.ts';

const SAMPLE_MS = 50;

/** Returns the result of `work`, and the most memory that the server had meanwhile. */
export async function watched<T>(server: Server, work: Promise<T>): Promise<{ result: T; peakBytes: number }> {
  let peakBytes = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      peakBytes = Math.max(peakBytes, (await server.process.usage()).residentBytes);
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  const result = await work.finally(() => {
    isOver = true;
  });
  await watching;
  return { result, peakBytes };
}
