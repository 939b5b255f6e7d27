/**
 * All attacks that once stopped the server for others, in turns against one server process. Good clients post without a
 * pause meanwhile: each gets its 202, and the server's memory stays bounded. Prints how much slower they become, and
 * how long the HTTP thread is at one thing. A long run (`ATTACKS_MINUTES=10`) also checks this, and needs a machine
 * without other work. What each request costs alone is measured by thread-time.trial.test.ts and
 * thread-time-senders.trial.test.ts.
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
const MINUTES = Number(ATTACKS_MINUTES ?? 2);
const CONNECTIONS = 4;
const WARM_UP_MS = 3_000;
const ALONE_MS = 2_000;
const UNDER_MS = 4_000;
const MOST_TIMES = 5;
/** Beside other work garbage is collected later. */
const MOST_MB = ATTACKS_MINUTES === undefined ? 450 : 400;
/** The cost of a request shows each time; garbage collection and compilation happen now and then. */
const MOST_STRETCH_MS = 10;
const MB = 1024 * 1024;

interface Found {
  readonly alone: Load[];
  readonly under: Load[];
  readonly blockedMs: number[];
  /** See `Stretches`. Not of the first round, in which libraries are loaded that only some requests need. */
  readonly stretchMs: number[];
  readonly peakMb: number[];
}

test(`${MINUTES} minutes of attacks keep no event of good clients out, and take bounded memory`, async () => {
  const site = new Site();
  try {
    const { server, attacker } = await startAttacked(site);
    const load = await site.openLoad(server.url, 'single', CONNECTIONS);
    const names = Object.keys(ATTACKS) as AttackName[];
    const found = new Map<AttackName, Found>(
      names.map((name) => [name, { alone: [], under: [], blockedMs: [], stretchMs: [], peakMb: [] }]),
    );
    // It rejects for every answer but a 202.
    const posting = (ms: number) => load.ask('run', { ms });
    await posting(WARM_UP_MS);
    await server.process.ask('watchStretches', undefined);
    const endMs = performance.now() + MINUTES * 60_000;
    while (performance.now() < endMs) {
      for (const [name, { alone, under, blockedMs, stretchMs, peakMb }] of found) {
        const isFirst = alone.length === 0;
        alone.push(await posting(ALONE_MS));
        await attacker.ask('start', name);
        await server.process.ask('longestBlockMs', undefined);
        await server.process.ask('longestStretchMs', undefined);
        const attacked = await watched(server, posting(UNDER_MS));
        blockedMs.push(await server.process.ask('longestBlockMs', undefined));
        const longestMs = await server.process.ask('longestStretchMs', undefined);
        if (!isFirst) stretchMs.push(longestMs);
        await attacker.ask('stop', undefined);
        under.push(attacked.result);
        peakMb.push(attacked.peakBytes / MB);
      }
    }
    for (const [name, measured] of found) console.log(`${name}: ${inWords(measured)}`);
    for (const [name, measured] of found) {
      if (ATTACKS_MINUTES !== undefined) {
        assert.ok(timesOf(measured) <= MOST_TIMES, `${name}: ${inWords(measured)}`);
        const { stretchMs } = measured;
        const isKept = stretchMs.length === 0 || quantile(stretchMs, 0.5) <= MOST_STRETCH_MS;
        assert.ok(isKept, `${name}: ${inWords(measured)}`);
      }
      assert.ok(Math.max(...measured.peakMb) <= MOST_MB, `${name}: ${inWords(measured)}`);
    }
  } finally {
    await site.close();
  }
});

function timesOf({ alone, under }: Found): number {
  return p99MsOf(under) / p99MsOf(alone);
}

function inWords(found: Found): string {
  const { alone, under, blockedMs, stretchMs, peakMb } = found;
  const ms = (value: number) => value.toFixed(1);
  const p99 = `p99 ${ms(p99MsOf(under))} ms, ${ms(p99MsOf(alone))} without: ${timesOf(found).toFixed(2)} times`;
  const longest = (values: readonly number[]) =>
    `${ms(quantile(values, 0.5))} ms at most (median), ${ms(Math.max(...values))} ms once`;
  const atOneThing = stretchMs.length === 0 ? '' : `, and of its own time ${longest(stretchMs)} at one thing`;
  const memory = `${Math.max(...peakMb).toFixed(0)} MB at most`;
  return `${p99}; the HTTP thread was away for ${longest(blockedMs)}${atOneThing}; ${memory}`;
}

test.run();
