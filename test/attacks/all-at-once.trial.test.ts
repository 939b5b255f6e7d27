/**
 * All attacks together against one server process, beside good clients: each of their posts has its 202. The server has one
 * core to itself, and all clients share another one, on which the good ones come first. These post at an even pace, and
 * their times count from when a post was due. `ATTACKS_MINUTES=10`, on a machine without other work, checks memory and
 * the time of posts as well.
 */
import { setPriority } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { separateCores } from '../bench/cores.ts';
import { ATTACKS, p99MsOf, startAttacked } from '../bench/parts/attacks.ts';
import type { AttackName } from '../bench/processes/attacker.ts';
import type { Load } from '../bench/processes/load.ts';
import { Site } from '../bench/site.ts';
import { quantile } from '../bench/statistics.ts';
import { watched } from '../bench/watched.ts';

const { ATTACKS_MINUTES } = process.env;
const MINUTES = Number(ATTACKS_MINUTES ?? 1);
const CONNECTIONS = 16;
/** A third of the core: posts that come alone are not written to disk together. */
const PART_OF_CAPACITY = 0.1;
const LOW_PRIORITY = 10;
const SLICE_MS = 5_000;
const ALONE_SLICES = 6;
/** The attacks take the whole core: with 3 to 11 ms without them, five times that is out of reach. */
const MOST_P99_MS = 250;
const MOST_MB = 500;
const MB = 1024 * 1024;

test(`${MINUTES} minutes of all attacks together keep no event of good clients out`, async () => {
  const cores = separateCores();
  if (typeof cores === 'string') console.log(`server and clients share all cores: ${cores}`);
  const site = new Site({ cores: typeof cores === 'string' ? null : cores });
  try {
    const { server, attacker } = await startAttacked(site);
    setPriority(attacker.pid, LOW_PRIORITY);
    const load = await site.openLoad(server.url, 'single', CONNECTIONS);
    // Both reject for every answer but a 202.
    await load.ask('run', { ms: SLICE_MS });
    const capacity = await load.ask('run', { ms: SLICE_MS });
    const post = () => load.ask('run', { ms: SLICE_MS, perSecond: capacity.perSecond * PART_OF_CAPACITY });
    await post();
    const alone: Load[] = [];
    while (alone.length < ALONE_SLICES) alone.push(await post());
    for (const name of Object.keys(ATTACKS) as AttackName[]) await attacker.ask('start', name);
    const under: Load[] = [];
    let peakBytes = 0;
    const endMs = performance.now() + MINUTES * 60_000;
    while (performance.now() < endMs) {
      const attacked = await watched(server, post());
      under.push(attacked.result);
      peakBytes = Math.max(peakBytes, attacked.peakBytes);
    }
    await attacker.ask('stop', undefined);
    const p99Ms = p99MsOf(under);
    const found = `p99 ${p99Ms.toFixed(1)} ms, ${p99MsOf(alone).toFixed(1)} without;`;
    const memory = `${(peakBytes / MB).toFixed(0)} MB at most`;
    const most = `at most ${capacity.perSecond.toFixed(0)} without a pace`;
    console.log(`${found} ${perSecond(under)} posts/s, ${perSecond(alone)} without, ${most}; ${memory}`);
    if (ATTACKS_MINUTES === undefined) return;
    assert.ok(p99Ms <= MOST_P99_MS, found);
    assert.ok(peakBytes <= MOST_MB * MB, memory);
  } finally {
    await site.close();
  }
});

function perSecond(loads: readonly Load[]): string {
  return quantile(
    loads.map((load) => load.perSecond),
    0.5,
  ).toFixed(0);
}

test.run();
