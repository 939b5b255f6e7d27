import { setTimeout as pause } from 'node:timers/promises';
import { type Line, line } from '../lines.ts';
import type { Mark } from '../processes/marks.ts';
import type { Site } from '../site.ts';
import { quantile } from '../statistics.ts';

const WARM_UP = 100;
const EVENTS = 300;
/** An event is recorded by then, so that the next one meets nothing of it. */
const APART_MS = 15;

/** The relay claims while this answer is on its way, so the next hop begins with the one before. */
const ANSWERED = 'answered';
/** The way of an event with one device, in its order, and the mark that each hop ends with. */
const HOPS: readonly (readonly [hop: string, mark: string])[] = [
  ['its request is read', 'request'],
  ['checked, and handed to the store thread at the end of the turn', 'acceptEvent: main sends'],
  ['to the store thread', 'acceptEvent: thread has it'],
  ['stored and synced', 'replies: thread sends'],
  ['back to the HTTP thread', 'replies: main has it'],
  ['its answer is written, beside the way', ANSWERED],
  ['the relay is woken, and asks for claims', 'claimBatches: main sends'],
  ['to the store thread', 'claimBatches: thread has it'],
  ['claimed', 'replies: thread sends'],
  ['back to the HTTP thread', 'replies: main has it'],
  ['handed to a delivery thread', 'batch: main sends'],
  ['to the delivery thread', 'batch: thread has it'],
  ['sent, and read by the provider', 'arrived'],
  ['answered by the provider', 'outcomes: thread sends'],
  ['back to the HTTP thread', 'outcomes: main has it'],
  ['judged, and handed to the store thread', 'settleBatch: main sends'],
  ['to the store thread', 'settleBatch: thread has it'],
  ['recorded and synced', 'replies: thread sends'],
];

/** Measures the time of each step of one event, on a server with nothing else to do. For information. */
export async function hops(site: Site): Promise<Line[]> {
  const sandbox = await site.startSandbox();
  const module = new URL('../processes/marks.js', import.meta.url).href;
  const choice = { database: 'empty', sends: true, nodeOptions: ['--import', module] } as const;
  const server = await site.startServer(choice, sandbox);
  const load = await site.openLoad(server.url, 'single', 1);
  const arrivals: Mark[] = [];
  const sentMs: number[] = [];
  for (let event = -WARM_UP; event < EVENTS; event += 1) {
    if (event === 0) await server.process.ask('marks', undefined);
    const posted = await load.ask('postOne', undefined);
    const arrivedMs = await sandbox.ask('arrival', posted.publicId);
    await pause(APART_MS);
    if (event < 0) continue;
    sentMs.push(posted.sentMs);
    arrivals.push({ what: 'arrived', atMs: arrivedMs });
  }
  const noted = [...(await server.process.ask('marks', undefined)), ...arrivals].sort((a, b) => a.atMs - b.atMs);
  const ways = sentMs.flatMap((fromMs, event) => {
    const way = wayOf(noted, fromMs, sentMs[event + 1] ?? Number.POSITIVE_INFINITY);
    return way === null ? [] : [way];
  });
  if (ways.length === 0) throw new Error(`of ${EVENTS} events none passed all hops in their order`);
  return HOPS.map(([hop], index) => lineOf(index, hop, ways));
}

/** How long each hop of an event took; null where one was not seen. */
function wayOf(noted: readonly Mark[], fromMs: number, untilMs: number): number[] | null {
  const took: number[] = [];
  let atMs = fromMs;
  for (const [, what] of HOPS) {
    const next = noted.find((mark) => mark.what === what && mark.atMs >= atMs && mark.atMs < untilMs);
    if (next === undefined) return null;
    took.push(next.atMs - atMs);
    if (what !== ANSWERED) atMs = next.atMs;
  }
  return took;
}

function lineOf(index: number, hop: string, ways: readonly (readonly number[])[]): Line {
  const values = ways.map((way) => (way[index] ?? 0) * 1_000);
  const name = String(index + 1).padStart(2);
  return line(`hop ${name}: ${hop}`, 'µs', values, { raw: { 'p99 µs': [quantile(values, 0.99)] } });
}
