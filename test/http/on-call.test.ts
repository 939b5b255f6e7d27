import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OnCallShift, ShownOverride, ShownRota } from '../../src/contract/on-call/plan.ts';
import { ADA, BOB, CARL } from '../support/cast.ts';
import { type Api, getBytes, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';

const test = suite('http: on call');
const ALL = '/api/v1/workspaces/acme/rotas';
const PAYMENTS = `${ALL}/payments`;
const HOUR_MS = 3_600_000;

const rotaIn = ({ body }: { body: object }) => (body as { rota: ShownRota }).rota;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

async function aTeam(api: Api) {
  const owner = await aPerson(api, ADA, { role: 'owner' });
  return { owner, bob: await aPerson(api, BOB), carl: await aPerson(api, CARL) };
}

test('an owner manages a rota, and members see it', () =>
  withApi(async (api) => {
    const { owner: key, bob } = await aTeam(api);
    const body = { slug: 'payments', members: [ADA, BOB], timezone: 'Europe/Berlin', starts_on: '2026-01-05' };
    const preview = await api.request(`${ALL}?preview=true`, { method: 'POST', key, body });
    assert.is(preview.status, 200);
    assert.ok((preview.body.moved as unknown[]).length > 10);
    assert.is((await api.request(PAYMENTS, { key })).status, 404);
    const made = await api.request(ALL, { method: 'POST', key, body });
    assert.equal([made.status, 'moved' in made.body], [201, false]);
    assert.equal(rotaIn(made).handover, { every: 'week', count: 1, weekday: 'mon', at: '09:00' });
    assert.equal((await api.request(ALL, { key: bob })).body, { rotas: [rotaIn(made)], next: null });
    assert.equal(rotaIn(await api.request(PAYMENTS, { key: bob })), rotaIn(made));
    assert.is((await api.request(ALL, { method: 'POST', key: bob, body })).status, 403);
    assert.is((await api.request(ALL, { method: 'POST', key, body })).status, 409);
    const wrong = { ...body, slug: 'web', handover: { every: 'week', at: '24:00' }, members: [] };
    const refusal = await api.request(ALL, { method: 'POST', key, body: wrong });
    assert.equal([refusal.status, Object.keys(refusal.body.errors as object)], [422, ['members', 'handover.at']]);
    const other = rotaIn(made).on_call?.email === ADA ? BOB : ADA;
    const changed = await api.request(PAYMENTS, { method: 'PATCH', key, body: { on_call: other } });
    assert.equal([changed.status, rotaIn(changed).on_call?.email], [200, other]);
    const gone = await api.request(`${PAYMENTS}?preview=true`, { method: 'DELETE', key });
    assert.equal([gone.status, Array.isArray(gone.body.moved)], [200, true]);
    assert.is((await api.request(PAYMENTS, { method: 'DELETE', key })).status, 204);
    assert.is((await api.request(PAYMENTS, { key })).status, 404);
  }));

test('members take time, and shifts show the override that puts them on call', () =>
  withApi(async (api) => {
    const { bob, carl, owner } = await aTeam(api);
    granted(
      await api.store.createRota({ workspace: 'acme', slug: 'payments', members: [ADA], startsOn: '2026-01-05' }),
    );
    const overrides = `${PAYMENTS}/overrides`;
    const take = { member: BOB, from: inHours(1), until: inHours(3) };
    const taken = await api.request(overrides, { method: 'POST', key: bob, body: take });
    assert.is(taken.status, 201);
    const { override } = taken.body as { override: ShownOverride };
    const notTheirs = { ...take, member: CARL, until: inHours(9) };
    const refusal = await api.request(overrides, { method: 'POST', key: bob, body: notTheirs });
    assert.equal([refusal.status, refusal.body.code], [403, 'role_too_low']);
    const from = new Date(Date.now()).toISOString().replace('Z', '+00:00');
    const { body } = await api.request(`${PAYMENTS}/shifts?from=${from}&until=${inHours(24)}`, { key: carl });
    const shifts = body.shifts as readonly OnCallShift[];
    assert.equal(
      shifts.map(({ person, override: by }) => [person.email, by?.id]),
      [
        [ADA, undefined],
        [BOB, override.id],
        [ADA, undefined],
      ],
    );
    const tooLong = await api.request(`${PAYMENTS}/shifts?until=${inHours(93 * 24)}`, { key: carl });
    assert.equal([tooLong.status, Object.keys(tooLong.body.errors as object)], [422, ['until']]);
    assert.is((await api.request(`${overrides}/${override.id}`, { method: 'DELETE', key: carl })).status, 403);
    assert.is((await api.request(`${overrides}/${override.id}`, { method: 'DELETE', key: owner })).status, 204);
    assert.is((await api.request(`${overrides}/${override.id}`, { method: 'DELETE', key: owner })).status, 404);
    const { entries } = granted(await api.store.listAudit({ workspace: 'acme', action: 'rota', limit: 10 }));
    assert.equal(
      entries.map(({ action, object }) => [action, object.split(',')[0]]),
      [
        ['rota.override-end', `payments: ${BOB}`],
        ['rota.override', `payments: ${BOB}`],
      ],
    );
  }));

test('people and keys with events:read see who is on call', () =>
  withApi(async (api) => {
    const { bob } = await aTeam(api);
    granted(
      await api.store.createRota({ workspace: 'acme', slug: 'payments', members: [BOB], startsOn: '2026-01-05' }),
    );
    const own = await api.request('/api/v1/on-call', { key: bob });
    const [status] = own.body.rotas as readonly { on_call: { email: string }; until: null; own_next: object }[];
    assert.equal([status?.on_call.email, status?.until], [BOB, null]);
    assert.ok(status?.own_next);
    const { text: key } = await api.issueKey({ scopes: ['events:read'] });
    const read = await api.request('/api/v1/on-call', { key });
    assert.equal(
      (read.body.rotas as readonly { own_next: null }[]).map(({ own_next }) => own_next),
      [null],
    );
    const { text: writing } = await api.issueKey({ scopes: ['events:write'] });
    assert.is((await api.request('/api/v1/on-call', { key: writing })).status, 403);
  }));

test('a calendar program reads shifts at an address that can end, and that no log has', () =>
  withApi(async (api) => {
    const { bob } = await aTeam(api);
    const plan = { workspace: 'acme', members: [ADA, BOB], startsOn: '2026-01-05' };
    for (const slug of ['payments', 'web']) granted(await api.store.createRota({ ...plan, slug, name: slug }));
    const make = async () => {
      const made = await api.request('/api/v1/session/calendar', { method: 'POST', key: bob });
      assert.is(made.status, 201);
      return new URL((made.body.calendar as { url: string }).url).pathname;
    };
    const first = await make();
    const path = await make();
    const read = (at: string) => getBytes(api, at, { 'Accept-Encoding': 'gzip' });
    assert.is((await read(first)).status, 404, 'a later address replaces it');
    const own = await read(path);
    assert.equal([own.status, own.headers['content-type']], [200, 'text/calendar; charset=utf-8']);
    assert.equal([own.headers['content-encoding'], own.headers['cache-control']], [undefined, 'no-store']);
    const shiftsIn = (body: Buffer) => body.toString().match(/BEGIN:VEVENT/g)?.length ?? 0;
    const everyone = await read(`${path}?everyone=1`);
    assert.ok(shiftsIn(own.body) > 20);
    assert.ok(Math.abs(shiftsIn(everyone.body) - 2 * shiftsIn(own.body)) <= 2);
    assert.match(everyone.body.toString(), 'SUMMARY:ada is on call: web');
    assert.not.match(own.body.toString(), 'ada');
    const secret = /pcal_[\w-]+/.exec(path)?.[0] ?? '';
    assert.ok(secret.length > 40);
    assert.not.match(api.log(), secret);
    assert.match(api.log(), '/api/v1/calendar/:secret.ics');
    assert.is((await api.request('/api/v1/session/calendar', { method: 'DELETE', key: bob })).status, 204);
    assert.is((await read(path)).status, 404);
    assert.is((await read(path.replace(/pcal_.{4}/, 'pcal_AAAA'))).status, 404);
  }));

test('a calendar address shows no workspace that its session may not see', () =>
  withApi(async (api) => {
    await api.addWorkspace('umbrella');
    await api.join(BOB, { workspace: 'umbrella' });
    await aTeam(api);
    for (const workspace of ['acme', 'umbrella']) {
      granted(await api.store.createRota({ workspace, slug: workspace, members: [BOB], startsOn: '2026-01-05' }));
    }
    const owner = await aPerson(api, 'eve@acme.example', { role: 'owner' });
    const invited = await api.request(`/api/v1/workspaces/acme/members/${BOB}/pairing`, { method: 'POST', key: owner });
    const { pairing_code } = invited.body as { pairing_code: string };
    const opened = await api.request('/api/v1/session', { method: 'POST', body: { pairing_code } });
    const { token: key } = opened.body.session as { token: string };
    const made = await api.request('/api/v1/session/calendar', { method: 'POST', key });
    const path = new URL((made.body.calendar as { url: string }).url).pathname;
    const { body } = await getBytes(api, path);
    assert.match(body.toString(), 'On call: acme');
    assert.not.match(body.toString(), 'On call: umbrella');
  }));

test.run();
