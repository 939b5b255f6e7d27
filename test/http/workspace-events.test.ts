import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA } from '../support/cast.ts';
import { type Api, type ApiOptions, type Reply, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';

interface Shown {
  readonly public_id: string;
  readonly title: string;
  readonly channel: string | null;
  readonly deliveries: { readonly pending: number };
}
type Ask = (method: string, path?: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;

/** The events of `acme`, for its owner. */
async function withEvents(use: (api: Api, ask: Ask) => Promise<void>, options?: ApiOptions): Promise<void> {
  await withApi(async (api) => {
    const key = await aPerson(api, ADA, { role: 'owner' });
    await use(api, (method, path = '', body = undefined, headers = {}) =>
      api.request(`/api/v1/workspaces/acme/events${path}`, {
        method,
        key,
        headers,
        ...(body !== undefined && { body }),
      }),
    );
  }, options);
}

function eventsOf({ body }: Reply): readonly Shown[] {
  return body.events as readonly Shown[];
}

function idIn({ body }: Reply): string {
  return (body.event as Shown).public_id;
}

test('a manager sees every event with text and counts, also of channels that nothing of theirs listens on', () =>
  withEvents(async (api, ask) => {
    await api.post({ channel: 'alerts', title: 'One', description: 'in full', url: 'https://example.com/secret' });
    const reply = await ask('GET');
    const [event] = eventsOf(reply);
    assert.equal([event?.title, event?.channel, event?.deliveries.pending], ['One', 'alerts', 0]);
    assert.match(reply.text, 'in full');
    assert.not.match(reply.text, 'secret');
  }));

test('filters, search and pages go together', () =>
  withEvents(async (api, ask) => {
    granted(await api.store.createChannel({ workspace: 'acme', slug: 'builds' }));
    await api.post({ channel: 'alerts', title: 'Disk full', level: 'error' });
    await api.post({ channel: 'builds', title: 'Red', description: 'disk', level: 'error' });
    await api.post({ channel: 'builds', title: 'Green' });
    const titles = async (query: string) => eventsOf(await ask('GET', query)).map(({ title }) => title);
    for (const [query, expected] of [
      ['?level=error', ['Red', 'Disk full']],
      ['?channel=builds', ['Green', 'Red']],
      ['?q=DISK', ['Red', 'Disk full']],
      ['?q=disk&channel=alerts&since=1h', ['Disk full']],
      ['?since=2999-01-01T00:00:00Z', []],
    ] as const) {
      assert.equal(await titles(query), expected, query);
    }
    const first = await ask('GET', '?limit=2');
    assert.equal(await titles(`?limit=2&before=${first.body.next}`), ['Disk full']);
    assert.is((await ask('GET', '?channel=nowhere')).status, 404);
    assert.is((await ask('GET', '?before=nonsense')).status, 422);
  }));

test('one event is shown with what became of it on each device, page by page', () =>
  withEvents(async (api, ask) => {
    const device = await api.addDevice();
    await api.addDevice({ token: 'cd'.repeat(32) });
    const id = idIn(await api.post({ channel: 'alerts', title: 'One' }));
    const queue = { route: 'apns_production', lane: 'standard', limit: 9, batchSize: 9 } as const;
    const [claim] = (await api.store.claimBatches(queue)).claims;
    const verdict = { state: 'failed', reason: 'PayloadEmpty' } as const;
    const verdicts = [0, 1].map((index) => ({ index, verdict, fitted: false, linksLost: false }));
    await api.store.settleBatch({ claimId: claim?.claimId ?? '', verdicts });
    const first = await ask('GET', `/${id}?limit=1`);
    const [line] = first.body.deliveries as { device_id: string; state: string; attempts: { reason: string }[] }[];
    assert.equal(
      [line?.device_id, line?.state, line?.attempts.map(({ reason }) => reason)],
      [device, 'failed', ['PayloadEmpty']],
    );
    assert.match(String(first.body.next), /^[0-9a-f]{32}$/, 'no number that counts the devices of all workspaces');
    const second = await ask('GET', `/${id}?limit=1&after=${first.body.next}`);
    assert.equal([(second.body.deliveries as unknown[]).length, second.body.next], [1, null]);
    assert.is((await ask('GET', `/${id}?after=nonsense`)).status, 422);
  }));

test('a manager learns why a member did not get an event, and only of members of this workspace', () =>
  withEvents(async (api, ask) => {
    await api.addWorkspace('umbrella');
    await api.join('eve@example.com', { workspace: 'umbrella' });
    const publicId = idIn(await api.post({ channel: 'alerts', title: 'One' }));
    const { status, body } = await ask('GET', `/${publicId}?member=${ADA}`);
    assert.is(status, 200);
    assert.equal(body.member, { email: ADA, name: ADA, result: 'no_device', devices: [] });
    assert.is((await ask('GET', `/${publicId}`)).body.member, null);
    const stranger = await ask('GET', `/${publicId}?member=eve@example.com`);
    assert.equal([stranger.status, stranger.body.message], [404, 'There is no such member in this workspace.']);
    assert.is((await ask('GET', `/${publicId}?member=nobody`)).status, 422);
  }));

test("another workspace's event is not there", () =>
  withEvents(async (api, ask) => {
    const { accept } = await api.addWorkspace('umbrella', { channels: ['alerts'] });
    const { event } = await accept();
    const [foreign, unknown] = [await ask('GET', `/${event.public_id}`), await ask('GET', '/evt_none')];
    assert.equal([foreign.status, foreign.text], [404, unknown.text]);
  }));

test('an event that is sent by hand is checked and counted as any other, and the audit log says who sent it', () =>
  withEvents(async (api, ask) => {
    await api.addDevice();
    const body = { channel: 'alerts', title: 'Private words', url: 'https://example.com/secret' };
    const sent = await ask('POST', '', body);
    assert.equal([sent.status, Object.keys(sent.body)], [202, ['event']]);
    assert.equal([...api.held.keys()], [idIn(sent)]);
    assert.is((await ask('POST', '', { ...body, validate_only: true })).body.valid, true);
    assert.equal(Object.keys((await ask('POST', '', { title: ' ' })).body.errors as object), ['channel', 'title']);
    assert.is((await ask('POST', '', { ...body, channel: 'nowhere' })).status, 404);
    const { used } = (await api.request('/api/v1/usage', { key: api.key })).body;
    assert.is(used, 1);
    const { entries } = granted(await api.store.listAudit({ workspace: 'acme', action: 'event.send', limit: 9 }));
    assert.equal(
      entries.map(({ actor, object }) => [actor.name, object]),
      [[ADA, `${idIn(sent)} to alerts`]],
    );
    assert.not.match(api.log() + JSON.stringify(entries), /Private words|secret/);
  }));

test('a repeated request with the same idempotency key is answered as the first, no matter which member sends it', () =>
  withEvents(async (api, ask) => {
    const body = { channel: 'alerts', title: 'One', url: 'https://example.com/1' };
    const headers = { 'Idempotency-Key': 'once' };
    const first = await ask('POST', '', body, headers);
    const again = await ask('POST', '', body, headers);
    const byKey = await api.post({ ...body, idempotency_key: 'once' });
    for (const { status, text } of [again, byKey]) assert.equal([status, text], [200, first.text]);
    const { entries } = granted(await api.store.listAudit({ workspace: 'acme', action: 'event.send', limit: 9 }));
    assert.is(entries.length, 1);
  }));

test('nothing is sent in a suspended workspace, and its events are still shown', () =>
  withEvents(async (api, ask) => {
    granted(await api.store.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
    const { status, body } = await ask('POST', '', { channel: 'alerts', title: 'One' });
    assert.equal([status, body.code], [403, 'workspace_inactive']);
    assert.is((await ask('GET')).status, 200);
  }));

test('a spent allowance is a 429', () =>
  withEvents(async (api, ask) => {
    granted(await api.store.setPlan({ name: 'small', monthlyEvents: 1 }));
    granted(await api.store.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
    const event = { channel: 'alerts', title: 'One' };
    assert.is((await ask('POST', '', event)).status, 202);
    const { status, body, headers } = await ask('POST', '', event);
    assert.equal([status, body.code], [429, 'allowance_exhausted']);
    assert.match(String(headers['ratelimit-policy']), /^"month";q=1;w=2\d{6}$/);
  }));

test('the audit log is read by managers, with filters and page by page', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA, { role: 'owner' });
    await api.addWorkspace('umbrella');
    const audit = async (query: string) => {
      const { status, body } = await api.request(`/api/v1/workspaces/acme/audit${query}`, { key });
      return { status, next: body.next, entries: body.entries as { action: string; actor: { name: string } }[] };
    };
    const path = '/api/v1/workspaces/acme/channels';
    for (const slug of ['builds', 'noise']) await api.request(path, { method: 'POST', key, body: { slug } });
    granted(await api.store.setWorkspaceStatus({ slug: 'umbrella', status: 'suspended' }));
    const { entries } = await audit(`?actor=${ADA}&action=channel&since=1h`);
    assert.equal(
      entries.map(({ action, actor }) => [action, actor.name]),
      [
        ['channel.create', ADA],
        ['channel.create', ADA],
      ],
    );
    const first = await audit('?limit=1');
    assert.is((await audit(`?limit=1&before=${first.next}`)).entries.length, 1);
    for (const query of ['?before=x', '?before=2', `?before=${'0'.repeat(32)}`, '?since=x', '?limit=0'])
      assert.is((await audit(query)).status, 422, query);
  }));

test('a position in the audit log does not count what other workspaces do, and is of one workspace', () =>
  withApi(async (api) => {
    await api.addWorkspace('umbrella');
    const key = await aPerson(api, ADA, { role: 'owner' });
    await api.join(ADA, { workspace: 'umbrella', role: 'owner' });
    for (const [workspace, slug] of [
      ['acme', 'one'],
      ['umbrella', 'two'],
      ['acme', 'three'],
    ]) {
      const body = { slug };
      await api.request(`/api/v1/workspaces/${workspace}/channels`, { method: 'POST', key, body });
    }
    const audit = (workspace: string, query: string) =>
      api.request(`/api/v1/workspaces/${workspace}/audit${query}`, { key });
    const { next } = (await audit('acme', '?limit=1')).body;
    assert.match(String(next), /^[0-9a-f]{32}$/);
    assert.is((await audit('acme', `?before=${next}`)).status, 200);
    const elsewhere = await audit('umbrella', `?before=${next}`);
    assert.equal(elsewhere.body.errors, {
      before: ['The before field is no position in this list. Start again without it.'],
    });
  }));

test('an event and the list of a member name the pause of a route that only the running server knows', () => {
  const pause = { kind: 'off', reason: 'connect_failed', since: '2026-11-21T09:30:00.000+00:00' } as const;
  return withApi(
    async (api) => {
      const key = await aPerson(api, ADA, { role: 'owner' });
      const ask = (path: string) => api.request(`/api/v1/workspaces/acme/${path}`, { key });
      await api.addDevice();
      const { public_id } = (await api.post({ channel: 'alerts', title: 'One' })).body.event as Shown;
      const { body } = await ask(`events/${public_id}?member=${ADA}`);
      assert.equal((body.event as { never_tried?: unknown }).never_tried, [{ result: 'route_paused', devices: 1 }]);
      assert.equal((body.member as { result?: unknown }).result, 'route_paused');
      const list = await ask(`members/${ADA}/events`);
      assert.match(list.text, '"result":"route_paused"');
    },
    { liveRoutes: () => new Map([['apns_production', { pause, doubt: null }]]) },
  );
});

test.run();
