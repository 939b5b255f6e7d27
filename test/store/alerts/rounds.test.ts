import * as assert from 'uvu/assert';
import type { Level } from '../../../src/push.ts';
import { anInsistingWorld, INSISTING, insist, MINUTE_MS, roundAt, sentAt, stateOf } from '../../support/alerts.ts';
import { assertEach } from '../../support/assert-each.ts';
import { ADA, BOB } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { granted } from '../../support/refusals.ts';
import { tokenOf } from '../../support/workspace.ts';
import { NOW_MS, type World } from '../../support/world.ts';

const { test, it, run } = conformance('alerts: rounds', anInsistingWorld);
const HOURS_MS = 60 * MINUTE_MS;

async function titleOf(world: World, publicId: string): Promise<string> {
  return granted(await world.calls.showAlert({ publicId })).alert.title;
}

it('while an alert is open, each repeat sends one reminder with the text of its newest event', async (world) => {
  const id = await world.post(INSISTING);
  await sentAt(world, NOW_MS);
  assert.equal(await world.calls.nextRound({}), { inMs: MINUTE_MS, soonestMs: MINUTE_MS });
  assert.is((await roundAt(world, NOW_MS + MINUTE_MS - 1)).reminders, 0);
  for (const nth of [1, 2, 3]) {
    const atMs = NOW_MS + nth * MINUTE_MS;
    assert.is((await roundAt(world, atMs)).reminders, 1);
    assert.is((await roundAt(world, atMs)).reminders, 0, 'a round is made once');
    const [reminder, ...more] = await sentAt(world, atMs);
    assert.equal(more, []);
    assert.is(reminder?.event.collapseKey, 'disk');
    assert.equal(reminder?.event.alert, {
      id,
      state: 'open',
      reminder: nth,
      shows: { publicId: id, receivedAtMs: NOW_MS },
      channel: 'alerts',
    });
  }
  const { alert } = granted(await world.calls.showAlert({ publicId: id }));
  assert.equal([alert.reminders, alert.reminded_at], [3, '2026-11-21T09:33:00.123+00:00']);
});

it('several open alerts are one reminder, with the newest three titles', async (world) => {
  for (const nth of [1, 2, 3, 4, 5]) await world.post({ ...INSISTING, collapseKey: null, title: `Disk ${nth}` });
  await sentAt(world, NOW_MS);
  await roundAt(world, NOW_MS + MINUTE_MS);
  const sent = await sentAt(world, NOW_MS + MINUTE_MS);
  assert.is(sent.length, 1);
  const { title, description, alert } = sent[0]?.event ?? {};
  assert.equal([title, description, alert?.open], ['5 open alerts', 'Disk 5\nDisk 4\nDisk 3', 5]);
});

it('a bundle that is shown still says when one alert is open, or none', async (world) => {
  const ids: string[] = [];
  for (const key of ['one', 'two', 'three']) ids.push(await world.post({ ...INSISTING, collapseKey: key }));
  const sent = async (minutes: number) => {
    const atMs = NOW_MS + minutes * MINUTE_MS;
    await roundAt(world, atMs);
    return (await sentAt(world, atMs)).map(({ event }) => [event.title, event.alert?.open, event.quiet ?? false]);
  };
  await sentAt(world, NOW_MS);
  assert.equal(await sent(1), [['3 open alerts', 3, false]]);
  for (const publicId of ids.slice(1)) granted(await world.calls.resolveAlert({ publicId }));
  await sentAt(world, NOW_MS + MINUTE_MS);
  assert.equal(
    (await sent(2)).toSorted(),
    [
      ['1 open alert', 1, true],
      [await titleOf(world, ids[0] ?? ''), undefined, false],
    ].toSorted(),
  );
  await world.post({ ...INSISTING, collapseKey: 'four', wallMs: NOW_MS + 2 * MINUTE_MS });
  await sentAt(world, NOW_MS + 2 * MINUTE_MS);
  assert.equal(await sent(3), [['2 open alerts', 2, false]]);
  for (const { id } of granted(await world.calls.listAlerts({ workspace: 'acme', limit: 10 })).alerts) {
    await world.post({ level: 'success', collapseKey: id === ids[0] ? 'one' : 'four', wallMs: NOW_MS + 3 * MINUTE_MS });
  }
  await sentAt(world, NOW_MS + 3 * MINUTE_MS);
  assert.equal(await sent(4), [['No open alerts', 0, true]]);
  assert.equal(await sent(5), []);
});

test('a bundle of an escalation says so as well, and ends apart from that of the channel that shows it', async (engine) => {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads'] });
  await insist(world, { escalate: { after: 60, channel: 'leads' } });
  await insist(world, {}, 'leads');
  await world.join(BOB);
  await world.addDevice({ token: tokenOf(2), subscribe: ['leads'] }, BOB);
  const all = async (
    places: readonly { readonly channel: string; readonly keys: readonly string[] }[],
    level: Level,
  ) => {
    for (const { channel, keys } of places) {
      for (const collapseKey of keys) await world.post({ ...INSISTING, channel, collapseKey, level, wallMs: at });
    }
    await sentAt(world, at);
  };
  let at = NOW_MS;
  const shownInLeads = async (minutes: number) => {
    at = NOW_MS + minutes * MINUTE_MS;
    await roundAt(world, at);
    const events = (await sentAt(world, at)).map(({ event }) => event);
    const sent = events.filter(({ channel, alert }) => channel === 'leads' && alert?.open !== undefined);
    return sent.map(({ title, alert }) => [alert?.channel, title, alert?.open]).sort();
  };
  const ofAlerts = { channel: 'alerts', keys: ['one', 'two', 'three', 'four', 'five'] };
  const ofLeads = { channel: 'leads', keys: ['one', 'two'] };
  await all([ofAlerts, ofLeads], 'error');
  const bundles = [
    ['alerts', '5 open alerts', 5],
    ['leads', '2 open alerts', 2],
  ];
  assert.equal(await shownInLeads(1), bundles);
  assert.equal(await shownInLeads(2), bundles);
  await all([ofAlerts], 'success');
  assert.equal(await shownInLeads(3), [
    ['alerts', 'No open alerts', 0],
    ['leads', '2 open alerts', 2],
  ]);
  await all([ofLeads], 'success');
  assert.equal(await shownInLeads(4), [['leads', 'No open alerts', 0]]);
  assert.equal(await shownInLeads(5), []);
});

test('a bundle in the channel of an earlier policy ends as well, once its alerts are acknowledged one by one', async (engine) => {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads'] });
  await insist(world, { escalate: { after: 60, channel: 'leads' } });
  await world.join(BOB);
  await world.addDevice({ token: tokenOf(2), subscribe: ['leads'] }, BOB);
  const ids = await Promise.all(
    ['one', 'two', 'three', 'four'].map((collapseKey) => world.post({ ...INSISTING, collapseKey })),
  );
  const shownInLeads = async (minutes: number) => {
    const atMs = NOW_MS + minutes * MINUTE_MS;
    await roundAt(world, atMs);
    const events = (await sentAt(world, atMs)).map(({ event }) => event);
    return events
      .filter(({ channel, alert }) => channel === 'leads' && alert?.open !== undefined)
      .map(({ title }) => title);
  };
  assert.equal(await shownInLeads(1), ['4 open alerts']);
  await insist(world);
  for (const publicId of ids) {
    granted(await world.calls.acknowledgeAlert({ publicId, as: ADA, wallMs: NOW_MS + MINUTE_MS }));
  }
  assert.equal(await shownInLeads(2), ['No open alerts']);
  assert.equal(await shownInLeads(3), []);
});

it('a reminder lives until the next one: after an outage at most one arrives', async (world) => {
  await world.post({ ...INSISTING, expiresInS: 600 });
  await sentAt(world, NOW_MS);
  for (const nth of [1, 2, 3]) await roundAt(world, NOW_MS + nth * MINUTE_MS);
  const sent = await sentAt(world, NOW_MS + 3 * MINUTE_MS + 1);
  assertEach(sent, ({ event }) => event.alert?.reminder, [3]);
});

it('rounds that no server was there for are not made up', async (world) => {
  await world.post(INSISTING);
  await sentAt(world, NOW_MS);
  const atMs = NOW_MS + 20.5 * MINUTE_MS;
  assert.is((await roundAt(world, atMs)).reminders, 1);
  assert.is((await sentAt(world, atMs)).length, 1);
  assert.is((await world.calls.nextRound({ wallMs: atMs })).inMs, MINUTE_MS);
});

it('a clock that was set back between two runs delays the next reminder by no more than a repeat', async (world) => {
  await world.post(INSISTING);
  const atMs = NOW_MS - 24 * HOURS_MS;
  assert.ok(((await world.calls.nextRound({ wallMs: atMs })).inMs ?? Number.NaN) <= MINUTE_MS);
  assert.is((await roundAt(world, atMs + MINUTE_MS)).reminders, 1);
  assert.is((await world.calls.nextRound({ wallMs: atMs + MINUTE_MS })).inMs, MINUTE_MS);
});

it('an alert that opens while a round waits for its turn is not reminded at once', async (world) => {
  await world.post(INSISTING);
  assert.is((await roundAt(world, NOW_MS - 30_000)).reminders, 0);
  assert.is((await roundAt(world, NOW_MS + MINUTE_MS)).reminders, 1);
});

it('reminders go to those who are subscribed then, and to none who has left', async (world) => {
  await world.post(INSISTING);
  await sentAt(world, NOW_MS);
  await world.join(BOB);
  await world.addDevice({ token: tokenOf(2) }, BOB);
  granted(await world.calls.removeDevice({ id: world.devices[0] ?? '' }));
  await roundAt(world, NOW_MS + MINUTE_MS);
  const sent = await sentAt(world, NOW_MS + MINUTE_MS);
  assert.is(sent.length, 1);
});

it('an alert expires when its time is over, or that of its event, and says so quietly', async (world) => {
  const long = await world.post(INSISTING);
  const short = await world.post({ ...INSISTING, collapseKey: 'net', expiresInS: 300 });
  await sentAt(world, NOW_MS);
  const atMs = NOW_MS + 5 * MINUTE_MS;
  assert.equal((await roundAt(world, atMs)).ended, { expired: 1 });
  assert.equal([await stateOf(world, long), await stateOf(world, short)], ['open', 'expired']);
  const notices = (await sentAt(world, atMs)).filter(({ event }) => event.quiet);
  assert.equal(
    notices.map(({ event }) => [event.alert?.id, event.alert?.state, event.urgency]),
    [[short, 'expired', 'standard']],
  );
  assert.equal((await roundAt(world, NOW_MS + 50 * MINUTE_MS)).ended, { expired: 1 });
  assert.is((await world.calls.nextRound({ wallMs: NOW_MS + 52 * MINUTE_MS })).inMs ?? 0, 0);
  await roundAt(world, NOW_MS + 52 * MINUTE_MS);
  assert.equal(await world.calls.nextRound({ wallMs: NOW_MS + 52 * MINUTE_MS }), { inMs: null, soonestMs: MINUTE_MS });
});

test('after a while an alert reaches the next channel, and from there the one after it, none of them twice', async (engine) => {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads', 'board'] });
  await insist(world, { repeat: 300, until: 3_000, escalate: { after: 60, channel: 'leads' } });
  await insist(world, { repeat: 300, escalate: { after: 120, channel: 'board' } }, 'leads');
  await insist(world, { repeat: 300, escalate: { after: 60, channel: 'alerts' } }, 'board');
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'leads', name: 'On call' }));
  await world.join(BOB);
  await world.addDevice({ token: tokenOf(2), subscribe: ['leads'] }, BOB);
  await world.addDevice({ token: tokenOf(3), subscribe: ['board'] }, BOB);
  const id = await world.post(INSISTING);
  await sentAt(world, NOW_MS);
  const notifiedAt = async (minutes: number) => {
    const atMs = NOW_MS + minutes * MINUTE_MS;
    await roundAt(world, atMs);
    return (await sentAt(world, atMs)).map(({ event }) => event.channel).sort();
  };
  const next = async () => granted(await world.calls.showAlert({ publicId: id })).alert.next_escalation;
  assert.equal(await next(), { at: '2026-11-21T09:31:00.123+00:00', channel: 'leads', channel_name: 'On call' });
  assert.equal(await notifiedAt(1), ['leads']);
  assert.equal(await next(), { at: '2026-11-21T09:33:00.123+00:00', channel: 'board', channel_name: 'board' });
  assert.equal(await notifiedAt(2), []);
  assert.equal(await notifiedAt(3), ['board']);
  assert.is(await next(), null, 'the chain leads back to where it began');
  assert.equal(await notifiedAt(4), []);
  assert.equal(await notifiedAt(5), ['alerts', 'board', 'leads']);
  const { alert } = granted(await world.calls.showAlert({ publicId: id }));
  assert.equal(
    [alert.escalated_to, alert.escalated_to_names],
    [
      ['leads', 'board'],
      ['On call', 'board'],
    ],
  );
  const { entries } = granted(await world.calls.listAudit({ workspace: 'acme', action: 'alert', limit: 10 }));
  assert.equal(
    entries.map(({ object }) => object),
    [`${id} of alerts, no further: its next channel is gone`, `${id} of alerts, to board`, `${id} of alerts, to leads`],
  );
});

test('a reopened alert goes on at its step of the escalation, and is silent if that had ended', async (engine) => {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads', 'board'] });
  await insist(world, { escalate: { after: 60, channel: 'leads' } });
  await insist(world, { escalate: { after: 180, channel: 'board' } }, 'leads');
  const id = await world.post(INSISTING);
  const run = async (from: number, to: number) => {
    for (let minute = from; minute <= to; minute += 1) await roundAt(world, NOW_MS + minute * MINUTE_MS);
    const { entries } = granted(
      await world.calls.listAudit({ workspace: 'acme', action: 'alert.escalate', limit: 10 }),
    );
    return entries.map(({ object }) => object.replace(`${id} of alerts, `, ''));
  };
  const snooze = async (minute: number) => {
    granted(await world.calls.acknowledgeAlert({ publicId: id, forS: 300, wallMs: NOW_MS + minute * MINUTE_MS }));
  };
  assert.equal(await run(1, 2), ['to leads']);
  await snooze(2);
  assert.equal(await run(3, 9), ['to leads'], 'it is open again for two minutes');
  assert.equal(await run(10, 10), ['to board', 'to leads']);
  await snooze(11);
  assert.equal(await run(12, 25), ['to board', 'to leads']);
  assert.is(await stateOf(world, id, NOW_MS + 25 * MINUTE_MS), 'open');
});

test('a policy that names no further channel any more ends an escalation, and no channel is said to be gone', async (engine) => {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads'] });
  await insist(world, { escalate: { after: 60, channel: 'leads' } });
  const id = await world.post(INSISTING);
  await insist(world);
  for (const minute of [1, 2]) await roundAt(world, NOW_MS + minute * MINUTE_MS);
  const { alert } = granted(await world.calls.showAlert({ publicId: id }));
  assert.equal([alert.state, alert.reminders, alert.escalated_to, alert.next_escalation], ['open', 2, [], null]);
  assert.equal(granted(await world.calls.listAudit({ workspace: 'acme', action: 'alert', limit: 10 })).entries, []);
});

test('all channels that an alert has reached are quietly notified that its sender has resolved it', async (engine) => {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads'] });
  await insist(world, { repeat: 300, escalate: { after: 60, channel: 'leads' } });
  await world.join(BOB);
  await world.addDevice({ token: tokenOf(2), subscribe: ['leads'] }, BOB);
  await world.post(INSISTING);
  await roundAt(world, NOW_MS + MINUTE_MS);
  await sentAt(world, NOW_MS + MINUTE_MS);
  const atMs = NOW_MS + 2 * MINUTE_MS;
  await world.post({ collapseKey: 'disk', level: 'success', wallMs: atMs });
  assert.is((await world.calls.nextRound({ wallMs: atMs })).inMs, 0);
  await roundAt(world, atMs);
  const sent = await sentAt(world, atMs);
  assert.equal(sent.map(({ event }) => [event.channel, event.alert?.state, event.quiet ?? false]).sort(), [
    ['alerts', 'resolved', true],
    ['leads', 'resolved', true],
  ]);
  assert.is((await world.calls.nextRound({ wallMs: atMs })).inMs, 4 * MINUTE_MS - MINUTE_MS);
});

it('reminders and notices count in no usage, stand in no list and are not unread', async (world) => {
  const id = await world.post(INSISTING);
  for (const nth of [1, 2, 3]) await roundAt(world, NOW_MS + nth * MINUTE_MS);
  assert.is((await world.calls.readUsage({ workspaceId: world.workspaceId })).used, 1);
  const reach = { workspaceId: world.workspaceId, boundKeyId: null };
  for (const page of [
    await world.calls.listEvents({ workspace: 'acme', limit: 10 }),
    await world.calls.listEvents({ workspace: 'acme', channel: 'alerts', limit: 10 }),
    await world.calls.listEvents({ workspace: 'acme', level: 'error', limit: 10 }),
    await world.calls.listReachedEvents({ ...reach, limit: 10 }),
    await world.calls.listReachedEvents({ ...reach, limit: 10, after: 'evt_00000000000000000000000000' }),
  ]) {
    assertEach(granted(page).events, ({ public_id }) => public_id, [id]);
  }
});

it('500 alerts in a minute are one reminder for a device', async (world) => {
  const posts = Array.from({ length: 500 }, () => world.anEvent({ ...INSISTING, collapseKey: null }));
  await world.together('acceptEvent', posts);
  while ((await sentAt(world, NOW_MS)).length > 0);
  await roundAt(world, NOW_MS + MINUTE_MS);
  const sent = await sentAt(world, NOW_MS + MINUTE_MS);
  assertEach(sent, ({ event }) => event.title, ['500+ open alerts']);
});

it('a channel that is deleted, or whose workspace is, reminds of nothing', async (world) => {
  await world.post(INSISTING);
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  while (!(await world.calls.pruneStep({})).done);
  assert.is((await roundAt(world, NOW_MS + MINUTE_MS)).reminders, 0);
  assert.equal(await world.calls.nextRound({ wallMs: NOW_MS + HOURS_MS }), { inMs: null, soonestMs: null });
  assert.is(await world.countRows('alert'), 0);
});

test('the event of an alert that lives is kept however old it is, and goes with it once that has ended', async (engine) => {
  const world = await anInsistingWorld({ engine, eventsRetentionMs: HOURS_MS });
  const id = await world.post(INSISTING);
  await sentAt(world, NOW_MS);
  const wallMs = NOW_MS + 2 * HOURS_MS;
  while (!(await world.calls.pruneStep({ wallMs })).done);
  assert.is(await stateOf(world, id), 'open');
  granted(await world.calls.resolveAlert({ publicId: id, wallMs }));
  await sentAt(world, wallMs);
  while (!(await world.calls.pruneStep({ wallMs: wallMs + 2 * HOURS_MS })).done);
  assert.is(await world.countRows('alert'), 0);
});

it('each ended alert is counted once, by the cause of its end', async (world) => {
  const open = await world.post(INSISTING);
  const noisy = await world.post({ ...INSISTING, collapseKey: 'net' });
  const taken = await world.post({ ...INSISTING, collapseKey: 'cpu' });
  granted(await world.calls.acknowledgeAlert({ publicId: taken }));
  const atMs = NOW_MS + MINUTE_MS;
  granted(await world.calls.resolveAlert({ publicId: open, wallMs: atMs }));
  await world.post({ level: 'success', collapseKey: 'net', wallMs: atMs });
  const short = await world.post({ ...INSISTING, collapseKey: 'short', expiresInS: 300 });
  assert.equal((await roundAt(world, atMs)).ended, { operator: 1, sender: 1 });
  const round = await roundAt(world, NOW_MS + 6 * MINUTE_MS);
  assert.equal([round.ended, round.workspaces.length], [{ expired: 1 }, 1]);
  assert.equal((await roundAt(world, NOW_MS + 8 * 60 * MINUTE_MS)).ended, { idle: 1 });
  const last = await world.post({ ...INSISTING, wallMs: NOW_MS + 8 * 60 * MINUTE_MS });
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', insist: null }));
  assert.equal((await roundAt(world, NOW_MS + 9 * 60 * MINUTE_MS)).ended, { channel: 1 });
  assert.equal((await roundAt(world, NOW_MS + 9 * 60 * MINUTE_MS)).ended, {});
  const states = await Promise.all([open, noisy, short, taken, last].map((id) => stateOf(world, id)));
  assert.equal(states, ['resolved', 'resolved', 'expired', 'resolved', 'resolved']);
});

it('a round is made however many channels insist', async (world) => {
  for (let nth = 0; nth < 120; nth += 1) {
    granted(await world.calls.createChannel({ workspace: 'acme', slug: `c${nth}` }));
    await insist(world, {}, `c${nth}`);
  }
  await world.post(INSISTING);
  assert.is((await roundAt(world, NOW_MS + MINUTE_MS)).reminders, 1);
});

run();
