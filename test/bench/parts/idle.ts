import type { ColdStart } from '../cold-start.ts';
import { type Line, line } from '../lines.ts';
import type { Child } from '../processes/child.ts';
import type { SandboxHandlers } from '../processes/sandbox.ts';
import type { Site } from '../site.ts';
import { SLICES } from '../slices.ts';
import { quantile } from '../statistics.ts';

const EVENTS = 50;
const MB = 1024 * 1024;

/** A server with nothing else to do. */
export async function idle(site: Site): Promise<Line[]> {
  const sandbox = await site.startSandbox();
  const server = await site.startServer({ database: 'empty', sends: true }, sandbox);
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
  await server.process.kill();
  const starts = await coldStarts(site, sandbox);
  return [
    line('one event, one device, idle: POST to arrival, p50', 'ms', medians, { want: { atMost: 15 } }),
    line(
      'resident memory, idle',
      'MB',
      starts.map(({ residentBytes }) => residentBytes / MB),
      { want: { atMost: 130 } },
    ),
    line(
      'start of the program until it takes events',
      's',
      starts.map(({ tookMs }) => tookMs / 1_000),
      { want: { atMost: 0.6 } },
    ),
    line(
      'CPU of this start',
      'ms',
      starts.map(({ cpuMs }) => cpuMs),
    ),
  ];
}

/** The first one makes the database and fills the disk's cache, and does not count. */
async function coldStarts(site: Site, sandbox: Child<SandboxHandlers>): Promise<ColdStart[]> {
  const dataDir = await site.dataFolder('empty');
  const starts: ColdStart[] = [];
  for (let slice = -1; slice < SLICES; slice += 1) {
    const start = await site.startProgram(dataDir, { sends: true }, sandbox);
    if (slice >= 0) starts.push(start);
  }
  return starts;
}
