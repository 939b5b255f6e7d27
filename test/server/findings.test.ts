import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fail } from '../../src/process/finding.ts';
import { StoringProof } from '../../src/server/findings.ts';

/** On a machine that has other work to do. */
const LONGER_THAN_USUAL_MS = 300;
const LATE = [fail('server', 'is late', 'wait')];
const FULL = [fail('server', 'has no room', 'make some')];

test('While a look takes long, a client gets what the last one found, and later that it is late', async () => {
  let nowMs = 0;
  const looks: PromiseWithResolvers<typeof FULL>[] = [];
  const look = () => {
    looks.push(Promise.withResolvers());
    return looks.at(-1)?.promise ?? Promise.reject();
  };
  const proof = new StoringProof({ steadyMs: () => nowMs }, look, LATE);
  const first = proof.read();
  looks[0]?.resolve([]);
  assert.equal(await first, []);
  nowMs = 2_000;
  assert.equal(await Promise.all(Array.from({ length: 20 }, () => proof.read())), Array(20).fill([]));
  for (let n = 0; n < 20; n += 1) {
    nowMs += 1_500;
    assert.equal(await proof.read(), nowMs < 3_000 ? [] : LATE);
  }
  assert.is(looks.length, 2, 'one look at a time');
  looks[1]?.resolve(FULL);
  assert.equal(await proof.read(), FULL);
});

test('A client that asks seldom gets what a slower look than usual finds, not that the store is late', async () => {
  let nowMs = 0;
  const look = () => wait(LONGER_THAN_USUAL_MS, [] as typeof FULL);
  const proof = new StoringProof({ steadyMs: () => nowMs }, look, LATE);
  assert.equal(await proof.read(), []);
  nowMs = 30_000;
  assert.equal(await Promise.all([proof.read(), proof.read()]), [[], []]);
});

test('Reports look again seldom while all is well, and at each report after a finding', async () => {
  let nowMs = 0;
  let looks = 0;
  let found: typeof FULL = [];
  const look = async () => {
    looks += 1;
    return found;
  };
  const proof = new StoringProof({ steadyMs: () => nowMs }, look, LATE);
  async function looksInAMinute(): Promise<number> {
    const before = looks;
    for (const endMs = nowMs + 60_000; nowMs < endMs; ) {
      nowMs += 2_000;
      proof.renew();
      await wait(0);
    }
    return looks - before;
  }
  assert.is(await looksInAMinute(), 2);
  found = FULL;
  assert.is(await looksInAMinute(), 30);
});

test.run();
