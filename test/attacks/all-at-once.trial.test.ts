/**
 * All attacks together against one server process, beside good clients that post without a pause: each post has its
 * 202. `ATTACKS_MINUTES=10`, on a machine without other work, checks memory and the time of posts as well.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ATTACKS, p99MsOf, startAttacked } from '../bench/parts/attacks.ts';
import type { AttackName } from '../bench/processes/attacker.ts';
import type { Load } from '../bench/processes/load.ts';
import { Site } from '../bench/site.ts';
import { quantile } from '../bench/statistics.ts';
import { watched } from '../bench/watched.ts';

const { ATTACKS_MINUTES } = process.env;
const MINUTES = Number(ATTACKS_MINUTES ?? 1);
const CONNECTIONS = 4;
const SLICE_MS = 5_000;
const ALONE_SLICES = 6;
const MOST_TIMES = 5;
const MOST_MB = 400;
const MB = 1024 * 1024;

test(`${MINUTES} minutes of all attacks together keep no event of good clients out`, async () => {
  const site = new Site();
  try {
    const { server, attacker } = await startAttacked(site);
    const load = await site.openLoad(server.url, 'one', CONNECTIONS);
    // It rejects for every answer but a 202.
    const post = () => load.ask('run', { ms: SLICE_MS });
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
    const times = p99MsOf(under) / p99MsOf(alone);
    const found = `p99 ${p99MsOf(under).toFixed(1)} ms, ${p99MsOf(alone).toFixed(1)} without: ${times.toFixed(2)} times;`;
    const memory = `${(peakBytes / MB).toFixed(0)} MB at most`;
    console.log(`${found} ${perSecond(under)} posts/s, ${perSecond(alone)} without; ${memory}`);
    if (ATTACKS_MINUTES === undefined) return;
    assert.ok(times <= MOST_TIMES, found);
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
