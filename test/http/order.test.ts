import * as assert from 'uvu/assert';
import { type Api, type Reply, type RequestOptions, apiTest as test } from '../support/http.ts';
import { granted } from '../support/refusals.ts';

/** What can be wrong with a request, in the order in which the contract checks it. */
const FAULTS = [
  'unauthenticated',
  'key_revoked',
  'key_expired',
  'missing_scope',
  'workspace_inactive',
  'rate_limited',
  'invalid_request',
  'payload_too_large',
  'invalid_fields',
  'channel_not_found',
  'allowance_exhausted',
] as const;
type Fault = (typeof FAULTS)[number];

/** Both cannot be true of one request. */
const IMPOSSIBLE = new Set(['missing_scope,rate_limited', 'invalid_fields,channel_not_found']);

/** Makes a workspace, a key and a request with these faults and no other, and sends it. */
async function sendWith(api: Api, faults: ReadonlySet<Fault>, workspace: string): Promise<Reply> {
  granted(await api.store.createWorkspace({ slug: workspace }));
  granted(await api.store.createChannel({ workspace, slug: 'alerts' }));
  const { id, text } = await api.issueKey({
    workspace,
    scopes: faults.has('missing_scope') ? ['events:read'] : ['events:write'],
    ...(faults.has('rate_limited') && { burstPerMinute: 1 }),
  });
  if (faults.has('rate_limited')) {
    const first = await api.post({ channel: 'alerts', title: 'The only one' }, { key: text });
    assert.is(first.status, 202);
  }
  if (faults.has('allowance_exhausted')) {
    granted(await api.store.setPlan({ name: 'nothing', monthlyEvents: 0 }));
    granted(await api.store.setWorkspacePlan({ slug: workspace, plan: 'nothing' }));
  }
  if (faults.has('key_expired')) {
    const next = { newId: workspace.padEnd(12, '0'), secretHash: '00'.repeat(32) };
    granted(await api.store.rotateKey({ id, ...next, graceMs: 0 }));
  }
  if (faults.has('key_revoked')) granted(await api.store.revokeKey({ id }));
  if (faults.has('workspace_inactive'))
    granted(await api.store.setWorkspaceStatus({ slug: workspace, status: 'suspended' }));
  return api.request('/api/v1/events', requestWith(faults, text));
}

function requestWith(faults: ReadonlySet<Fault>, key: string): RequestOptions {
  const title = faults.has('invalid_fields') ? '' : 'Done';
  const channel = faults.has('channel_not_found') ? 'nowhere' : 'alerts';
  const padding = faults.has('payload_too_large') ? 'x'.repeat(70_000) : '';
  return {
    method: 'POST',
    key: faults.has('unauthenticated') ? `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}` : key,
    headers: faults.has('invalid_request') ? { 'Content-Type': 'text/plain' } : {},
    body: { channel, title, padding },
  };
}

function faultOf({ status, body }: Reply): string {
  if (status === 404) return 'channel_not_found';
  return status === 422 ? 'invalid_fields' : String(body.code);
}

test('each fault alone is answered as itself', async (api) => {
  for (const [at, fault] of FAULTS.entries()) {
    assert.is(faultOf(await sendWith(api, new Set([fault]), `a${at}`)), fault);
  }
});

test('of any two faults the earlier one answers', async (api) => {
  for (const [at, earlier] of FAULTS.entries()) {
    for (const later of FAULTS.slice(at + 1)) {
      if (IMPOSSIBLE.has(`${earlier},${later}`)) continue;
      const reply = await sendWith(api, new Set([earlier, later]), `b${at}-${FAULTS.indexOf(later)}`);
      assert.is(faultOf(reply), earlier, `${earlier} before ${later}`);
    }
  }
});

test('a request with every fault is asked for its key first', async (api) => {
  assert.is(
    faultOf(await sendWith(api, new Set(FAULTS.filter((fault) => fault !== 'rate_limited')), 'c')),
    'unauthenticated',
  );
});

test.run();
