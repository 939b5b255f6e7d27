import { type Line, line } from '../lines.ts';
import type { Site } from '../site.ts';
import { SLICES } from '../slices.ts';
import { quantile } from '../statistics.ts';

const EVENTS = 50;
const SETTLE_MS = 1_000;
const MB = 1024 * 1024;

/** A server with nothing else to do. */
export async function idle(site: Site): Promise<Line[]> {
  const sandbox = await site.startSandbox();
  const server = await site.startServer({ database: 'empty', sends: true }, sandbox);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const { residentBytes } = await server.process.usage();
  const load = await site.openLoad(server.url, 'single', 1);
  const medians: number[] = [];
  for (let slice = 0; slice < SLICES; slice += 1) {
    const tookMs: number[] = [];
    for (let event = 0; event < EVENTS; event += 1) {
      const { sentMs, publicId } = await load.ask('postOne', undefined);
      tookMs.push((await sandbox.ask('arrival', publicId)) - sentMs);
    }
    medians.push(quantile(tookMs, 0.5));
  }
  const after = await server.process.usage();
  return [
    line('one event, one device, idle: POST to arrival, p50', 'ms', medians, { want: { atMost: 15 } }),
    line('resident memory, idle', 'MB', [residentBytes / MB], {
      want: { atMost: 160 },
      raw: { 'idle again after its pushes': [after.residentBytes / MB] },
    }),
  ];
}
