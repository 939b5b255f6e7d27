/**
 * Searches for the body of a sender that costs most, among 64 KiB of any piece at any place. What it finds belongs into
 * thread-time-senders.trial.test.ts. `COSTLY_RUNS=2000` and another `COSTLY_SEED` search further; the worst are printed then.
 */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { postedEventParser } from '../../src/contract/posted-event.ts';
import { Body } from '../../src/contract/senders/bodies.ts';
import type { PublishAct, SenderFormat } from '../../src/contract/senders/format.ts';
import { SENDERS } from '../../src/contract/senders/table.ts';
import { fittedPublication } from '../../src/contract/senders/texts.ts';
import { aCostlyBody, bodyOf, type CostlyBody } from '../support/costly-bodies.ts';
import { accepted } from '../support/senders.ts';
import { leastCpuMs, slowness } from '../support/thread-cpu.ts';

const RUNS = Number(process.env.COSTLY_RUNS ?? 60);
const SEED = Number(process.env.COSTLY_SEED ?? 20261123);
const BYTES = 65_536;
/** Processor time, out of the 10 ms that a request may take: the server needs the rest for all else. */
const MOST_MS = 8;
/** Below it a single try is believed. */
const SURELY_MS = 3;
const TRIES = 30;

const parse = postedEventParser({ ttlMs: 86_400_000, wallMs: Date.now });

async function publish(act: PublishAct, { type }: CostlyBody, text: string): Promise<void> {
  const header = (name: string) => (name === 'content-type' ? type : '');
  const params = { channel: 'alerts', key: 'x' };
  const publication = await fittedPublication(act, {
    params,
    header,
    query: new URLSearchParams(),
    body: new Body(text, { contentType: type }),
    nowMs: 0,
  });
  if (publication === null || 'reply' in publication) return;
  parse({ ...publication.event, channel: 'alerts' });
  JSON.stringify(act.answer?.(accepted('alerts'), publication.repeated ?? {}));
}

function costOf(act: PublishAct, shape: CostlyBody): Promise<number> {
  const text = bodyOf(shape, BYTES);
  return leastCpuMs(() => publish(act, shape, text), { most: TRIES, enoughMs: SURELY_MS });
}

for (const [name, { addresses }] of Object.entries(SENDERS) as [string, SenderFormat][]) {
  test(`no body for ${name} that a search finds takes long to read`, async () => {
    const acts = addresses.flatMap(({ act, methods }) => ('publish' in act && methods[0] !== 'get' ? [act] : []));
    const shapes = fc.sample(aCostlyBody, { seed: SEED, numRuns: RUNS });
    const found: { ms: number; shape: CostlyBody }[] = [];
    for (const act of acts) for (const shape of shapes) found.push({ ms: await costOf(act, shape), shape });
    const worst = found.toSorted((a, b) => b.ms - a.ms);
    if (process.env.COSTLY_RUNS) console.log(name, worst.slice(0, 5));
    const mostMs = MOST_MS * (await slowness());
    for (const { ms, shape } of worst) assert.ok(ms <= mostMs, `${ms.toFixed(1)} ms: ${JSON.stringify(shape)}`);
  });
}

test.run();
