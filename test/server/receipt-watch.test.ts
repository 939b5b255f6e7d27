import { pino } from 'pino';
import * as assert from 'uvu/assert';
import { RECEIPT_WITHIN_MS } from '../../src/contract/receipts.ts';
import { receiptWatch } from '../../src/server/timed-work.ts';
import { anInsistingWorld, INSISTING } from '../support/alerts.ts';
import { conformance } from '../support/engines.ts';
import { claim, settle } from '../support/queue.ts';
import { aReporter, reportAs } from '../support/receipts.ts';
import { SimulatedClock } from '../support/simulation.ts';
import { NOW_MS, type World } from '../support/world.ts';

const { it, run } = conformance('receipt watch', anInsistingWorld);

it('the other device of a person gets one quiet notice, however many servers look', async (world) => {
  const clock = new SimulatedClock(NOW_MS);
  const watches = [watching(world, clock), watching(world, clock)];
  const id = await aReporter(world);
  await reportAs(world, id, await unreported(world, clock));
  for (const { touch } of watches) touch();
  for (const _ of [1, 2, 3]) await unreported(world, clock);
  for (const { rest } of watches) await rest();
  assert.equal(await noticesAt(world, clock), []);
  await passing(clock, watches, RECEIPT_WITHIN_MS);
  assert.equal(await noticesAt(world, clock), [['iOS device no longer shows alerts', true, 1]]);
  for (const _ of [1, 2, 3]) await unreported(world, clock);
  await passing(clock, watches, 3 * RECEIPT_WITHIN_MS);
  assert.equal(await noticesAt(world, clock), [], 'once');
});

it('reports that are due together are given up one step after the other, without a rest', async (world) => {
  const clock = new SimulatedClock(NOW_MS);
  const watch = watching(world, clock);
  const id = await aReporter(world);
  await reportAs(world, id, await unreported(world, clock));
  watch.touch();
  const waiting = 250;
  for (let nth = 0; nth < waiting; nth += 1) await world.post({ ...INSISTING, ...timesOf(clock), collapseKey: null });
  await acceptAll(world, clock);
  await watch.rest();
  assert.is(await world.countRows('receipt'), waiting + 1);
  await clock.run(RECEIPT_WITHIN_MS);
  for (let step = 0; step < 10; step += 1) {
    await watch.rest();
    await clock.run(1);
  }
  assert.is(await world.countRows('receipt'), 1, 'the reported one');
});

it('the store is asked once until a device reports', async (world) => {
  const clock = new SimulatedClock(NOW_MS);
  const watch = watching(world, clock);
  await passing(clock, [watch], 3_600_000);
  assert.is(watch.asked(), 1);
  const id = await aReporter(world);
  await reportAs(world, id, await unreported(world, clock));
  watch.touch();
  await passing(clock, [watch], RECEIPT_WITHIN_MS);
  assert.ok(watch.asked() >= 3, `${watch.asked()} times`);
});

run();

type Watching = ReturnType<typeof watching>;

/** A server's watch over the store. `rest` waits until it has nothing to do before its next timer. */
function watching({ calls }: World, clock: SimulatedClock) {
  let under: Promise<unknown> = Promise.resolve();
  let asked = 0;
  let touch = () => {};
  const store = {
    missReceipts() {
      asked += 1;
      const answer = calls.missReceipts({ wallMs: clock.wallMs(), steadyMs: clock.steadyMs() });
      under = answer;
      return answer;
    },
    onTouched: (_: string, listener: () => void) => {
      touch = listener;
    },
  };
  receiptWatch({ store, after: clock.after, log: pino({ level: 'silent' }) }).start();
  const rest = async () => {
    for (let before: unknown; before !== under; ) {
      before = under;
      await under;
      await clock.settle();
    }
  };
  return { rest, touch: () => touch(), asked: () => asked };
}

async function passing(clock: SimulatedClock, watches: readonly Watching[], ms: number): Promise<void> {
  // The store answers in its own time, so the clock goes on in small steps.
  const steps = 20;
  for (let step = 0; step < steps; step += 1) {
    for (const { rest } of watches) await rest();
    await clock.run(ms / steps);
    for (const { rest } of watches) await rest();
  }
}

/** An alert that the provider accepts on each device. Reports are awaited. */
async function unreported(world: World, clock: SimulatedClock): Promise<string> {
  const event = await world.post({ ...INSISTING, ...timesOf(clock), collapseKey: null });
  await acceptAll(world, clock);
  return event;
}

async function acceptAll(world: World, clock: SimulatedClock): Promise<void> {
  const atMs = clock.wallMs();
  for (let batches = await claim(world, { lane: 'urgent', atMs }); batches.length > 0; ) {
    for (const batch of batches) await settle(world, batch, { state: 'accepted', isAwaited: true }, atMs);
    batches = await claim(world, { lane: 'urgent', atMs });
  }
}

function timesOf(clock: SimulatedClock) {
  return { wallMs: clock.wallMs(), steadyMs: clock.steadyMs() };
}

/** Title, quietness and number of targets of each test push that waits. */
async function noticesAt(world: World, clock: SimulatedClock) {
  const found: unknown[] = [];
  for (const batch of await claim(world, { lane: 'urgent', atMs: clock.wallMs() })) {
    for (const { event } of batch.events) found.push([event.title, event.quiet, batch.targets.length]);
    await settle(world, batch, { state: 'accepted' }, clock.wallMs());
  }
  return found;
}
