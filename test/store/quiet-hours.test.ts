import * as assert from 'uvu/assert';
import type { QuietHours } from '../../src/contract/ringing.ts';
import { anInsistingWorld, INSISTING, sentAt } from '../support/alerts.ts';
import { conformance } from '../support/engines.ts';
import { granted } from '../support/refusals.ts';
import { at, settleEach } from '../support/resends.ts';
import { aWorld, NOW_MS, type World } from '../support/world.ts';

const { test, it, run } = conformance('quiet hours', anInsistingWorld);

/** NOW_MS is 09:30 in UTC, on a Saturday. */
const MORNING: QuietHours = { from: '09:00', to: '12:00', timezone: 'UTC' };
const CHANNEL = { workspace: 'acme', slug: 'alerts' } as const;
const HOUR_MS = 3_600_000;

async function setQuiet(world: World, quiet: QuietHours | null): Promise<void> {
  granted(await world.calls.updateChannel({ ...CHANNEL, quiet }));
}

test('a standard event goes out quietly in quiet hours, and one that is urgent rings', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 }, channels: ['alerts', 'builds'] });
  await setQuiet(world, MORNING);
  const quiet = await world.post({});
  const urgent = await world.post({ urgency: 'time_sensitive' });
  const elsewhere = await world.post({ channel: 'builds' });
  const later = await world.post({ wallMs: NOW_MS + 3 * HOUR_MS });
  const sent = await sentAt(world, NOW_MS + 3 * HOUR_MS);
  const quietOf = (id: string) => sent.filter(({ event }) => event.publicId === id).map(({ event }) => event.quiet);
  assert.equal([quietOf(quiet), quietOf(urgent), quietOf(later)], [[true], [undefined], [undefined]]);
  assert.equal(quietOf(elsewhere), [], 'no device listens there');
  assert.ok(sent.every(({ event }) => event.alert === undefined));
});

test('an event accepted quietly stays quiet, and other events ring once there are no quiet hours', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  await setQuiet(world, { ...MORNING, days: ['sat'] });
  const before = await world.post({});
  await setQuiet(world, null);
  const after = await world.post({});
  const sent = await sentAt(world, NOW_MS);
  assert.equal(
    sent.map(({ event }) => [event.publicId, event.quiet]).sort(),
    [
      [before, true],
      [after, undefined],
    ].sort(),
  );
});

test('an event that was accepted quietly and failed is sent again as quietly', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  await setQuiet(world, MORNING);
  const publicId = await world.post({});
  await setQuiet(world, null);
  await settleEach(world, [{ state: 'failed', reason: 'PayloadEmpty' }]);
  granted(await world.calls.resendEvent({ publicId, ...at(HOUR_MS) }));
  const [again] = await sentAt(world, NOW_MS + HOUR_MS);
  assert.equal([again?.event.publicId, again?.event.quiet], [publicId, true]);
});

test('a night belongs to the day on which it begins, by the clock of its time zone', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  // In Auckland it is half past ten on Saturday evening, and 13 hours before it was that of Friday's morning.
  const quietAt = async (quiet: Partial<QuietHours>, wallMs = NOW_MS) => {
    await setQuiet(world, { from: '22:00', to: '07:00', timezone: 'Pacific/Auckland', ...quiet });
    await world.post({ wallMs });
    const [sent, ...more] = await sentAt(world, wallMs);
    assert.equal(more, []);
    return sent?.event.quiet ?? false;
  };
  assert.is(await quietAt({}), true);
  assert.is(await quietAt({ days: ['sat'] }), true);
  assert.is(await quietAt({ days: ['sun', 'fri'] }), false);
  assert.is(await quietAt({ days: ['sat'] }, NOW_MS + 8 * HOUR_MS), true, 'Sunday, 06:30');
  assert.is(await quietAt({ days: ['sun'] }, NOW_MS + 8 * HOUR_MS), false);
  assert.is(await quietAt({}, NOW_MS + 9 * HOUR_MS), false, 'Sunday, 07:30');
  assert.is(await quietAt({ from: '00:00', to: '00:00', days: ['sat'] }), true, 'a whole day');
});

it('a success that ends an alert in quiet hours says so quietly, and the alert itself has rung', async (world) => {
  await setQuiet(world, MORNING);
  await world.post(INSISTING);
  const [opening] = await sentAt(world, NOW_MS);
  await world.post({ level: 'success', collapseKey: 'disk' });
  const [success] = await sentAt(world, NOW_MS);
  assert.equal([opening?.event.quiet, opening?.event.alert?.state], [undefined, 'open']);
  assert.equal([success?.event.quiet, success?.event.alert?.state], [true, 'resolved']);
});

test('a channel shows its quiet hours, each day once, and refuses invalid ones', async (engine) => {
  const world = await aWorld({ engine });
  await setQuiet(world, { ...MORNING, days: ['sun', 'sat', 'sun'] });
  const quiet = { ...MORNING, days: ['sat', 'sun'] };
  assert.equal(granted(await world.calls.showChannel(CHANNEL)).quiet, quiet);
  const [listed] = granted(await world.calls.listChannels({ workspace: 'acme' }));
  assert.equal(listed?.quiet, quiet);
  granted(await world.calls.updateChannel({ ...CHANNEL, name: 'Alerts' }));
  assert.equal(granted(await world.calls.showChannel(CHANNEL)).quiet, quiet, 'what is absent stays');
  for (const [field, wrong] of [
    ['quiet.from', { from: '9:00' }],
    ['quiet.timezone', { timezone: 'Nowhere/Land' }],
    ['quiet.days', { days: [] }],
  ] as const) {
    const answer = await world.calls.updateChannel({ ...CHANNEL, quiet: { ...MORNING, ...wrong } });
    assert.is('detail' in answer && answer.detail?.field, field);
  }
});

run();
