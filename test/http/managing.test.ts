import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { androidToken } from '../support/android-token.ts';
import { ADA, BOB, CARL } from '../support/cast.ts';
import { ask, EVENT, withDashboard } from '../support/dashboard.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';
import { valuesOf } from '../support/values-of.ts';
import { tokenOf } from '../support/workspace.ts';

async function idOf(reply: Promise<{ readonly body: Record<string, unknown> }>): Promise<string> {
  return ((await reply).body.device as { readonly id: string }).id;
}

test('members are searched, and come page by page', () =>
  withDashboard(async ({ api, ask }) => {
    for (let n = 0; n < 60; n += 1) await api.join(`member-${n}@example.com`);
    const emails = async (query: string) => {
      const { status, body } = await ask('GET', `members${query}`);
      assert.is(status, 200);
      return { found: (body.members as { email: string }[]).map(({ email }) => email), next: body.next };
    };
    const first = await emails('');
    assert.is(first.found.length, 50);
    assert.is((await emails(`?after=${encodeURIComponent(String(first.next))}`)).found.length, 11);
    assert.equal((await emails('?q=MEMBER-59')).found, ['member-59@example.com']);
    assert.equal((await emails('?role=owner&has_device=false')).found, [ADA]);
    for (const query of ['?role=boss', '?has_device=perhaps', '?limit=0', '?q=', '?after=nowhere']) {
      assert.is((await ask('GET', `members${query}`)).status, 422, query);
    }
  }));

test("a manager subscribes a member's device with an audit entry, but an admin cannot subscribe an owner's device", () =>
  withDashboard(async ({ api, token, ask: asOwner }) => {
    const admin = await aPerson(api, CARL, { role: 'admin' });
    const bob = await aPerson(api, BOB);
    const add = (key: string, name: string) =>
      idOf(
        api.request('/api/v1/devices', {
          method: 'POST',
          key,
          body: { platform: 'android', token: androidToken(name), name },
        }),
      );
    const theirs = await add(bob, 'bobs');
    const owners = await add(token, 'adas');
    const asAdmin = (method: string, path: string) => ask(api, admin, method, path);
    assert.is((await asAdmin('PUT', `devices/${theirs}/subscriptions/alerts`)).status, 204);
    const shown = await asAdmin('GET', `devices/${theirs}`);
    assert.equal((shown.body.device as { channels: string[] }).channels, ['alerts']);
    const { body } = await asAdmin('GET', 'devices?channel=alerts&member=bob%40example.com');
    assert.is((body.devices as unknown[]).length, 1);
    const elsewhere = await asAdmin('GET', 'devices?channel=none&member=bob%40example.com');
    assert.match(elsewhere.text, /The channel does not exist/);
    assert.equal((await asAdmin('PUT', `devices/${owners}/subscriptions/alerts`)).body.code, 'role_too_low');
    assert.is((await asOwner('PUT', `devices/${owners}/subscriptions/alerts`)).status, 204);
    assert.is((await asAdmin('DELETE', `devices/${theirs}/subscriptions/alerts`)).status, 204);
    assert.is((await asAdmin('PUT', `devices/${theirs}/subscriptions/none`)).status, 404);
    assert.is((await asAdmin('PUT', 'devices/dev_0000000000000000/subscriptions/alerts')).status, 404);
    assert.is((await ask(api, bob, 'PUT', `devices/${theirs}/subscriptions/alerts`)).status, 403);
    const { entries } = granted(await api.store.listAudit({ workspace: 'acme', action: 'device', limit: 10 }));
    assert.equal(
      valuesOf(
        entries.filter(({ actor }) => actor.name === CARL),
        'action',
      ),
      ['device.unsubscribe', 'device.subscribe'],
    );
  }));

test('a member is shown with their devices and the sessions that may act there, to those who run the workspace', () =>
  withDashboard(async ({ api, ask: asOwner }) => {
    await api.addWorkspace('umbrella');
    const ofUmbrella = await aPerson(api, CARL, { workspace: 'umbrella', role: 'owner' });
    await api.join(BOB);
    await api.join(BOB, { workspace: 'umbrella' });
    const { body: code } = await asOwner('POST', 'members/bob%40example.com/pairing');
    const signedIn = await api.request('/api/v1/session', {
      method: 'POST',
      body: { pairing_code: code.pairing_code },
    });
    const bob = (signedIn.body.session as { token: string }).token;
    const there = await api.request('/api/v1/workspaces/umbrella/members/bob%40example.com', { key: ofUmbrella });
    assert.equal((there.body.member as { sessions: unknown[] }).sessions, []);
    const { status, body } = await asOwner('GET', 'members/bob%40example.com');
    assert.is(status, 200);
    const member = body.member as { email: string; devices: number; sessions: unknown[] };
    assert.equal([member.email, member.devices, member.sessions.length], [BOB, 0, 1]);
    assert.is((await asOwner('GET', 'members/nobody%40example.com')).status, 404);
    assert.is((await ask(api, bob, 'GET', 'members/bob%40example.com')).status, 403);
  }));

test('the deliveries of an event come by their state, and what neither failed nor expired is not sent again', () =>
  withDashboard(async ({ api, ask }) => {
    const event = (await api.post(EVENT)).body.event as { public_id: string };
    const { status, body } = await ask('GET', `events/${event.public_id}?state=failed`);
    assert.equal([status, body.deliveries], [200, []]);
    assert.is((await ask('GET', `events/${event.public_id}?state=lost`)).status, 422);
    assert.is((await ask('POST', `events/${event.public_id}/resend`)).status, 409);
    assert.is((await ask('POST', 'events/evt_01k9z3v5m8q2w4e6r8t0y2a4c6/resend')).status, 404);
  }));

test('an event is sent again once to the devices it failed for, and to no other', () =>
  withDashboard(async ({ api, ask }) => {
    for (const nth of [1, 2, 3]) await api.addDevice({ token: tokenOf(nth), subscribe: ['alerts'] });
    const { public_id: id } = (await api.post(EVENT)).body.event as { public_id: string };
    const send = async (states: readonly ('failed' | 'accepted')[]): Promise<number> => {
      let sent = 0;
      const next = { route: 'apns_production', lane: 'standard', limit: 100, batchSize: 100 } as const;
      for (const { claimId, targets } of (await api.store.claimBatches(next)).claims) {
        const verdicts = targets.map((_, index) => {
          const state = states[sent + index] ?? 'accepted';
          const verdict = state === 'failed' ? { state, reason: 'BadTopic' } : { state };
          return { index, verdict, fitted: false, linksLost: false };
        });
        await api.store.settleBatch({ claimId, verdicts });
        sent += targets.length;
      }
      return sent;
    };
    assert.is(await send(['failed', 'accepted', 'failed']), 3);
    const counts = async () => {
      const { accepted, failed, pending } = (
        (await ask('GET', `events/${id}`)).body.event as { deliveries: Record<string, number> }
      ).deliveries;
      return { accepted, failed, pending };
    };
    assert.equal(await counts(), { accepted: 1, failed: 2, pending: 0 });
    const { status, body } = await ask('POST', `events/${id}/resend`);
    assert.equal([status, body.resent], [200, 2]);
    assert.equal(await counts(), { accepted: 1, failed: 0, pending: 2 });
    assert.is(await send([]), 2, 'what was accepted is not sent again');
    assert.equal(await counts(), { accepted: 3, failed: 0, pending: 0 });
    assert.is((await ask('POST', `events/${id}/resend`)).status, 409, 'nothing is left of it');
    const { entries } = (await ask('GET', 'audit?action=event')).body as { entries: { action: string }[] };
    assert.equal(valuesOf(entries, 'action'), ['event.resend']);
  }));

test.run();
