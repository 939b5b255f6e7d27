import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EventGroups } from '../../../../src/store/postgres/accept/groups.ts';
import { standingClock } from '../../../support/standing-clock.ts';

const CLIENTS = 64;
const MOST = 500;

test('Clients that post again after each answer form two halves, and one half at a time is in the database', async () => {
  // No group is held up here, however busy the machine is.
  using _ = standingClock();
  const { groups, carriedOut, answerOldest } = someGroups();
  const post = async (client: number): Promise<void> => {
    for (;;) {
      await groups.ask(client);
      // Its answer is on its way, and its next request.
      await aTurn();
    }
  };
  for (let client = 0; client < CLIENTS; client += 1) void post(client);
  for (let round = 0; round < 20; round += 1) await answerOldest();
  assert.is(carriedOut[0]?.length, 1);
  for (const group of carriedOut.slice(2)) assert.is(group.length, CLIENTS / 2);
  const [clients, other] = carriedOut.slice(-2).map((group) => new Set(group));
  assert.not.ok([...(clients ?? [])].some((client) => other?.has(client)));
});

test('Requests at once after a quiet time run in a few groups, in their order, within the bound of a group', async () => {
  const { groups, carriedOut, answerOldest } = someGroups();
  const asked = Array.from({ length: 4 * MOST }, (_, n) => groups.ask(n));
  let done = false;
  const all = Promise.all(asked).then((answers) => {
    done = true;
    return answers;
  });
  while (!done) await answerOldest();
  assert.equal(
    await all,
    Array.from({ length: 4 * MOST }, (_, n) => n),
  );
  assert.equal(
    carriedOut.flat(),
    Array.from({ length: 4 * MOST }, (_, n) => n),
  );
  assert.ok(carriedOut.every((group) => group.length <= MOST));
  assert.ok(carriedOut.length <= 16, `${carriedOut.length} groups`);
});

test.run();

/** Waits for a turn of the event loop. */
function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Groups that are answered when the test says so, with what they ask. */
function someGroups() {
  const carriedOut: (readonly number[])[] = [];
  const underWay: (() => void)[] = [];
  const groups = new EventGroups<number, number>({
    most: MOST,
    workspaceOf: () => 1,
    hasTurns: () => false,
    carryOut(group) {
      carriedOut.push(group);
      return new Promise((resolve) => underWay.push(() => resolve(group)));
    },
  });
  async function answerOldest(): Promise<void> {
    underWay.shift()?.();
    await aTurn();
    await aTurn();
  }
  return { groups, carriedOut, answerOldest };
}
