import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../src/contract/operations/operation.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { readSchema } from '../../src/contract/schemas.ts';
import { ADA, BOB } from '../support/cast.ts';
import { withApi } from '../support/http.ts';
import { aPerson } from '../support/sign-in.ts';

/** Probes may carry anything: their answer is for machines that would take a 422 for a failure. */
const PROBES = ['getHealth', 'getReadiness'];
/** Not there where no provider is configured; their own test is `oidc`. */
const OF_PROVIDER = ['beginOidc', 'finishOidc'];

test('every list says which query it reads', () => {
  const lists = OPERATIONS.filter(({ answers }) => {
    const { schema } = answers[200] ?? {};
    return schema !== undefined && ((readSchema(schema).required as readonly string[]) ?? []).includes('next');
  });
  assert.ok(lists.length >= 12);
  for (const { operationId, query } of lists) assert.ok(query, operationId);
});

test('an unknown or repeated parameter of a list is a 422 that names it', () =>
  withApi(async (api) => {
    const owner = await aPerson(api, ADA, { role: 'owner' });
    await api.join(BOB);
    const posted = await api.post({ channel: 'alerts', title: 'Done' });
    const things: Readonly<Record<string, string>> = {
      workspace: 'acme',
      channel: 'alerts',
      rota: 'payments',
      email: BOB,
      public_id: (posted.body.event as { public_id: string }).public_id,
    };
    const reading = OPERATIONS.filter(
      ({ operationId, query }) => query && ![...PROBES, ...OF_PROVIDER].includes(operationId),
    );
    assert.ok(reading.length >= 14);
    for (const { operationId, method, path, scopes, query, body: schema, errors } of reading as readonly Operation[]) {
      const [body] = schema === undefined ? [] : (readSchema(schema).examples as readonly unknown[]);
      assert.ok(errors.includes('invalid_fields'), operationId);
      const at = `/api${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(things[name] ?? ''))}`;
      for (const key of [...(scopes ? [api.key] : []), ...(scopes && path !== '/v1/events' ? [] : [owner])]) {
        const [some = 'nothing'] = query?.reads.filter((name) => name !== 'workspace' && name !== 'q') ?? [];
        const reply = await api.request(`${at}?no_such=1&no_such=2&__proto__=x&${some}=1&${some}=1`, {
          method: method.toUpperCase(),
          key,
          ...(body !== undefined && { body }),
        });
        assert.is(reply.status, 422, operationId);
        const named = Object.keys(reply.body.errors as object);
        for (const name of [some, 'no_such', '__proto__']) assert.ok(named.includes(name), `${operationId}: ${name}`);
      }
    }
  }));

test('the values of a query are cut and counted in the answer, so no answer is as long as its request', () =>
  withApi(async (api) => {
    const names = Array.from({ length: 100 }, (_, index) => `${index}${'x'.repeat(70)}=1`);
    const { status, body } = await api.request(`/api/v1/usage?${names.join('&')}`, { key: api.key });
    assert.is(status, 422);
    const named = Object.keys(body.errors as object);
    assert.equal([named.length, Math.max(...named.map(({ length }) => length))], [20, 64]);
  }));

test('a client that may not see a list is refused for that first', () =>
  withApi(async (api) => {
    const member = await aPerson(api, BOB);
    const ask = async (path: string, key?: string) =>
      (await api.request(path, key === undefined ? {} : { key })).status;
    assert.is(await ask('/api/v1/usage?no_such=1'), 401);
    assert.is(await ask('/api/v1/workspaces/acme/keys?no_such=1', member), 403);
    assert.is(await ask('/api/v1/workspaces/umbrella/keys?no_such=1', member), 404);
  }));

test.run();
