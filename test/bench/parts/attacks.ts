import type { Line } from '../lines.ts';
import type { AttackName } from '../processes/attacker.ts';
import type { Load } from '../processes/load.ts';
import type { Server, Site } from '../site.ts';
import { alternate } from '../slices.ts';
import { ratios } from '../statistics.ts';
import { startAttacked } from './attacked.ts';

const SLICE_MS = 800;
/** After an attack, before the server without one is measured. */
const CALM_MS = 1_000;
/** Good clients that post one event after another: the server is busy, and not at its limit. */
const CONNECTIONS = 4;
const SAMPLE_MS = 50;
const MB = 1024 * 1024;

/** In words. */
export const ATTACKS: Readonly<Record<AttackName, string>> = {
  unread: '60 connections, each with 1,500 requests for the API’s description and no answer read',
  pipelined: '10,000 requests at once on one connection',
  halves: '170 half-sent sign-ins a second',
  silent: '2,000 silent connections of one address',
  signIns: 'wrong sign-ins without end, 100 at a time, from 200 addresses',
  nowhere: 'new connections without end, 100 at a time, from 200 addresses, each with a request for nothing',
  bodies: 'the worst bodies of all formats of senders, of 64 KiB, 20 a second by a sender’s key',
  searches: 'searches of a member through 50,000 events without end, 120 at a time',
  largeBodies: 'the worst bodies of 4 MiB of Alertmanager’s format, compressed, 20 a second by a sender’s key',
};

/** What good clients notice of bad ones, who have no key, or a sender's or a session of another workspace. */
export async function attacks(site: Site): Promise<Line[]> {
  const { server, attacker } = await startAttacked(site);
  const load = await site.openLoad(server.url, 'one', CONNECTIONS);
  const posting = () => load.ask('run', { ms: SLICE_MS });
  const alone = async (): Promise<Load> => {
    await load.ask('run', { ms: CALM_MS });
    return posting();
  };
  const lines: Line[] = [];
  const peaks: number[] = [];
  for (const [name, what] of Object.entries(ATTACKS) as [AttackName, string][]) {
    const under = async (): Promise<Load> => {
      await attacker.ask('start', name);
      const { result, peakBytes } = await watched(server, posting());
      peaks.push(peakBytes / MB);
      await attacker.ask('stop', undefined);
      return result;
    };
    const slices = await alternate({ alone, under });
    const p99 = (side: 'alone' | 'under') => slices[side].map(({ p99Ms }) => p99Ms);
    lines.push({
      what: `events posted while there are ${what}: p99`,
      against: 'without',
      unit: '×',
      want: { atMost: 5 },
      values: ratios(p99('under'), p99('alone')),
      raw: {
        'p99 ms': p99('under'),
        'p99 ms without': p99('alone'),
        'requests/s': slices.under.map(({ perSecond }) => perSecond),
        'requests/s without': slices.alone.map(({ perSecond }) => perSecond),
      },
    });
  }
  return [...lines, memoryLine(peaks)];
}

function memoryLine(peaks: readonly number[]): Line {
  return {
    what: 'resident memory under these attacks, at most',
    against: '',
    unit: 'MB',
    want: { atMost: 400 },
    values: [Math.max(...peaks)],
    raw: { 'MB, by attack and slice': peaks },
  };
}

/** What comes of `work`, and the most memory that the server had meanwhile. */
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
