import { setTimeout as pause } from 'node:timers/promises';
import type { StoreClient } from '../../../src/store/calls.ts';
import { granted } from '../../support/refusals.ts';
import { signIn } from '../../support/sign-in.ts';
import { type Line, line, ratio } from '../lines.ts';
import type { Child } from '../processes/child.ts';
import type { Load, LoadHandlers } from '../processes/load.ts';
import type { StreamHandlers } from '../processes/streams.ts';
import type { Server, Site } from '../site.ts';
import { alternate } from '../slices.ts';

const PEOPLE = 4;
const SESSIONS_EACH = 5;
const STREAMS_EACH = 10;
const STREAMS = PEOPLE * SESSIONS_EACH * STREAMS_EACH;
const SLICE_MS = 1_500;
const CONNECTIONS = 64;
const SETTLE_MS = 1_000;
/** Two comments go out in it. */
const IDLE_MS = 42_000;
const MB = 1024 * 1024;

/** Measures open apps: streams of owners, who get all changes. */
export async function streams(site: Site): Promise<Line[]> {
  const [dataDir, plainDir] = [await site.dataFolder('devices'), await site.dataFolder('devices')];
  const server = await site.startServerIn(dataDir, { sends: false });
  const plain = await site.startServerIn(plainDir, { sends: false });
  const store = await site.storeIn(dataDir);
  const tokens = await sessionsAt(server, store);
  await store.close();
  await pause(SETTLE_MS);
  const before = await server.process.usage();
  const apps = await site.start<StreamHandlers>('streams');
  await apps.ask('open', { url: server.url, tokens, streamsPerToken: STREAMS_EACH });
  await pause(SETTLE_MS);
  const opened = await server.process.usage();
  const [held, bare] = await Promise.all([idleCpuOf(server), idleCpuOf(plain)]);

  const ours = await site.openLoad(server.url, 'single', CONNECTIONS);
  const theirs = await site.openLoad(plain.url, 'single', CONNECTIONS);
  await apps.ask('heard', undefined);
  const slices = await alternate({
    ours: async () => ({ ...(await runAt(server, ours)), heard: await apps.ask('heard', undefined) }),
    theirs: () => runAt(plain, theirs),
  });
  const per = (side: 'ours' | 'theirs') => slices[side].map(({ perSecond }) => perSecond);
  return [
    line(`resident memory of ${STREAMS} open streams`, 'MB', [(opened.residentBytes - before.residentBytes) / MB], {
      want: { atMost: 25 },
      raw: { before: [before.residentBytes / MB], with: [opened.residentBytes / MB] },
    }),
    line(`CPU for each second of ${STREAMS} open streams with nothing to report`, 'ms', [held - bare], {
      against: 'beside a server without',
      want: { atMost: 10 },
      raw: { with: [held], without: [bare] },
    }),
    ratio(
      `durable ingest with ${STREAMS} open streams, all of which receive its events`,
      'requests/s',
      per('ours'),
      ['without', per('theirs')],
      {
        want: { atLeast: 0.9 },
        raw: {
          'CPU µs a request': slices.ours.map(({ cpuUs }) => cpuUs),
          'CPU µs a request without': slices.theirs.map(({ cpuUs }) => cpuUs),
          'parts that a stream got in a slice': slices.ours.map(({ heard }) => heard / STREAMS),
          'p99 ms': slices.ours.map(({ p99Ms }) => p99Ms),
          'p99 ms without': slices.theirs.map(({ p99Ms }) => p99Ms),
        },
      },
    ),
  ];
}

/** Signs owners in, as often as it takes. */
async function sessionsAt({ url }: Server, store: StoreClient): Promise<readonly string[]> {
  const tokens: string[] = [];
  for (let person = 0; person < PEOPLE; person += 1) {
    const email = `owner-${person}@example.com`;
    granted(await store.addMember({ workspace: 'acme', email, role: 'owner' }));
    for (let session = 0; session < SESSIONS_EACH; session += 1) {
      tokens.push(await signIn({ http: { url }, store }, email));
    }
  }
  return tokens;
}

/** One slice of load, and what a request of it took of the server's CPU. */
async function runAt({ process }: Server, load: Child<LoadHandlers>): Promise<Load & { readonly cpuUs: number }> {
  const before = await process.usage();
  const done = await load.ask('run', { ms: SLICE_MS });
  const cpuMs = (await process.usage()).cpuMs - before.cpuMs;
  return { ...done, cpuUs: (cpuMs * 1_000_000) / (done.perSecond * SLICE_MS) };
}

/** Milliseconds of CPU in a second. */
async function idleCpuOf({ process }: Server): Promise<number> {
  const before = await process.usage();
  await pause(IDLE_MS);
  return (((await process.usage()).cpuMs - before.cpuMs) * 1000) / IDLE_MS;
}
