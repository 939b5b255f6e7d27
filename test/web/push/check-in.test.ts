import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer } from '../../../src/web/api/problem.ts';
import { type CheckedIn, checkIn, type Device, type Subscribed } from '../../../src/web/push/check-in.ts';

const ADA = 'ada@example.com';
const KEPT = { id: 'dev_1', email: ADA };

test('A browser whose subscription is sound reports to the server that it is still there', async () => {
  const { checked, done } = await start({});
  assert.equal(done, ['readdress dev_1 old']);
  assert.is(checked.kind, 'well');
});

test('A subscription that is bound to another key of the server is replaced', async () => {
  const { done } = await start({ current: subscribed('old', 'another key') });
  assert.equal(done, ['unsubscribe', 'subscribe', 'readdress dev_1 new']);
});

test('A subscription that the browser has lost is replaced', async () => {
  const { done } = await start({ current: null });
  assert.equal(done, ['subscribe', 'readdress dev_1 new']);
});

test('A device that its push service has ended gets a new subscription', async () => {
  const { done } = await start({ known: { ...DEVICE, status: 'inactive' } });
  assert.equal(done, ['unsubscribe', 'subscribe', 'readdress dev_1 new']);
});

test('An unknown device is registered with a new subscription that names the old one', async () => {
  const { done } = await start({ known: null });
  assert.equal(done, ['unsubscribe', 'subscribe', 'register new for old']);
});

test('A device whose worker has lost its token gets another one', async () => {
  const { checked, done } = await start({ hasToken: false });
  assert.equal(done, ['readdress dev_1 old', 'renew token by old']);
  assert.equal(checked.kind === 'well' && checked.device, { ...DEVICE, token: 'pdev_2' });
});

test('If notifications are not allowed any more, the device ends here and on the server', async () => {
  const { checked, done } = await start({ isAllowed: false });
  assert.equal(done, ['unsubscribe', 'remove dev_1']);
  assert.equal(checked, { kind: 'ended', why: 'switched-off' });
});

test("Another member's browser ends as their device, forgets what it has shown, and becomes none of the member who signed in", async () => {
  const { checked, done } = await start({ email: 'bob@example.com' });
  assert.equal(done, ['unsubscribe', 'forget what was shown']);
  assert.equal(checked, { kind: 'ended', why: 'other-person' });
});

test('While the server cannot be reached, nothing changes', async () => {
  const { checked, done } = await start({ isAway: true });
  assert.equal(done, []);
  assert.is(checked.kind, 'failed');
});

test.run();

const DEVICE: Device = { id: 'dev_1', status: 'active' };

function subscribed(endpoint: string, key: string): Subscribed {
  return { subscription: { endpoint, keys: { p256dh: '', auth: '' } }, key };
}

interface Situation {
  readonly email?: string;
  readonly isAllowed?: boolean;
  readonly current?: Subscribed | null;
  readonly known?: Device | null;
  readonly isAway?: boolean;
  readonly hasToken?: boolean;
}

/** Returns the acts of a starting app in the browser and on the server, in order. */
async function start(situation: Situation): Promise<{ checked: CheckedIn; done: string[] }> {
  const { email = ADA, isAllowed = true, current = subscribed('old', 'key'), known = DEVICE, isAway } = situation;
  const { hasToken = true } = situation;
  const done: string[] = [];
  const well = <T>(data: T, what?: string): Answer<T> => {
    if (what !== undefined) done.push(what);
    return { ok: true, data };
  };
  const here = {
    isAllowed: () => isAllowed,
    current: async () => current,
    subscribe: async (key: string) => well(subscribed('new', key), 'subscribe'),
    unsubscribe: async () => void done.push('unsubscribe'),
    hasToken: async () => hasToken,
    forgetShown: async () => void done.push('forget what was shown'),
  };
  const away: Answer<never> = { ok: false, problem: { kind: 'away', message: '', fields: {} } };
  const there = {
    key: async () => (isAway ? away : well('key')),
    find: async () => well(known),
    register: async ({ subscription }: Subscribed, replaces?: string) =>
      well({ ...DEVICE, token: 'pdev_1' }, `register ${subscription.endpoint} for ${replaces}`),
    renewToken: async ({ subscription }: Subscribed) =>
      well({ ...DEVICE, token: 'pdev_2' }, `renew token by ${subscription.endpoint}`),
    readdress: async (id: string, { subscription }: Subscribed) =>
      well(DEVICE, `readdress ${id} ${subscription.endpoint}`),
    remove: async (id: string) => well(undefined, `remove ${id}`),
  };
  return { checked: await checkIn(KEPT, email, here, there), done };
}
