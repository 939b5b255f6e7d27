import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { API_ERRORS, type ApiErrorCode } from '../../src/contract/errors.ts';
import type { Operation, OperationError } from '../../src/contract/operations/operation.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { readSchema } from '../../src/contract/schemas.ts';
import { SCOPES, type Scope } from '../../src/push.ts';
import { BOB, CARL } from '../support/cast.ts';
import { type Api, type Reply, type RequestOptions, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { letProofsExpire, signInBrowser } from '../support/sign-in.ts';

type Faults = ReadonlySet<OperationError>;

/** Faults of a request by a person's cookie, in the order of their checks. */
const OF_CALLER = ['cross_site', 'not_signed_in', 'change_throttled'] as const;
const OF_MANAGER = ['workspace_not_found', 'role_too_low', 'workspace_inactive'] as const;
const OF_PROOF = ['confirm_identity'] as const;
const OF_KEY = [
  'unauthenticated',
  'key_revoked',
  'key_expired',
  'missing_scope',
  'workspace_inactive',
  'rate_limited',
] as const;
const OF_BODY = ['invalid_request', 'unsupported_encoding', 'payload_too_large'] as const;

/** A request that a key of this scope may make. */
const THE_ONLY_ONE: Readonly<Record<Exclude<Scope, 'heartbeats:ping'>, readonly [string, RequestOptions]>> = {
  'events:read': ['/api/v1/usage', {}],
  'events:write': ['/api/v1/events', { method: 'POST', body: { channel: 'alerts', title: 'The only one' } }],
  'alerts:write': ['/api/v1/events/evt_01m7yq1whvehx9w1n0h5r0c6ct/resolve', { method: 'POST' }],
  'heartbeats:write': ['/api/v1/heartbeats/backup', { method: 'PUT', body: { channel: 'alerts' } }],
};

/** Missing things that a request names, and the beginning of their error, which may have more before it. */
const NOWHERE: Readonly<Record<string, readonly [string, string]>> = {
  public_id: ['evt_01m7yq1whvehx9w1n0h5r0c6ct', 'event'],
  device: ['dev_0000000000000000', 'device'],
  workspace: ['nowhere', 'workspace'],
  channel: ['nowhere', 'channel'],
  email: ['nobody@example.com', 'member'],
  heartbeat: ['nowhere', 'heartbeat'],
  key: ['000000000000', 'key'],
  passkey: ['000000000000', 'passkey'],
  session: ['000000000000', 'session'],
  webhook: ['whk_0000000000000000', 'webhook'],
  maintenance: ['mnt_0000000000000000', 'maintenance'],
  rota: ['nowhere', 'rota'],
  override: ['ovr_0000000000000000', 'override'],
};

test('the first failing check of a request in a session is answered', () =>
  withScene({}, async (scene) => {
    for (const operation of OPERATIONS.filter(isForPeople)) {
      const faults = faultsOf(operation, sessionFaults(operation)).filter((fault) => fault !== 'change_throttled');
      await assertOrder(scene, operation, faults);
    }
  }));

test('too many changes are refused after faults of the caller, and before all else', () =>
  withScene({ changesPerMinute: 1 }, async (scene) => {
    for (const cookie of [scene.member, scene.unproven]) {
      const body = { events: ['evt_01m7yq1whvehx9w1n0h5r0c6ct'] };
      await scene.api.request('/api/v1/inbox/unread', { method: 'PUT', cookie, body });
    }
    for (const operation of OPERATIONS.filter(isForPeople)) {
      const faults = faultsOf(operation, sessionFaults(operation));
      await assertOrder(scene, operation, faults, faults.indexOf('change_throttled') + 1);
    }
  }));

test('every operation that takes a body is counted, for a person, a key or a guesser', () => {
  const counts = ['change_throttled', 'rate_limited', 'sign_in_throttled', 'report_throttled'];
  const withBody = OPERATIONS.filter((operation: Operation) => operation.body !== undefined);
  assert.ok(withBody.length > 20);
  for (const { operationId, errors } of withBody as readonly Operation[]) {
    assert.ok(
      errors.some((code) => counts.includes(code)),
      operationId,
    );
  }
});

test('the first failing check of a request with an API key is answered', () =>
  withScene({}, async (scene) => {
    for (const operation of OPERATIONS.filter((declared: Operation) => declared.scopes !== undefined)) {
      await assertOrder(
        scene,
        operation,
        faultsOf(operation, [...OF_KEY, ...OF_BODY, 'invalid_fields'], true),
        undefined,
        true,
      );
    }
  }));

test.run();

interface Scene {
  readonly api: Api;
  /** Cookies: of a member and of an admin whose proofs have expired, and of that admin with a fresh one. */
  readonly member: string;
  readonly unproven: string;
  readonly admin: string;
  readonly device: string;
}

/**
 * The workspace `acme`, and `dormant`, which is suspended, with a member and an admin in both; and `spent`, which may
 * post no events.
 */
function withScene(limits: { changesPerMinute?: number }, use: (scene: Scene) => Promise<void>): Promise<void> {
  return withApi(
    async (api) => {
      await api.addWorkspace('dormant', { channels: ['alerts'] });
      for (const workspace of ['acme', 'dormant']) {
        await api.join(BOB, { workspace });
        await api.join(CARL, { workspace, role: 'admin' });
      }
      granted(await api.store.setWorkspaceStatus({ slug: 'dormant', status: 'suspended' }));
      granted(await api.real.createRota({ workspace: 'acme', slug: 'payments', members: [CARL] }));
      await api.addWorkspace('spent', { channels: ['alerts'] });
      granted(await api.store.setPlan({ name: 'nothing', monthlyEvents: 0 }));
      granted(await api.store.setWorkspacePlan({ slug: 'spent', plan: 'nothing' }));
      const [member, unproven] = [await signInBrowser(api, BOB), await signInBrowser(api, CARL)];
      letProofsExpire(api.dataDir);
      const admin = await signInBrowser(api, CARL);
      await use({ api, member, unproven, admin, device: await api.addDevice({}, CARL) });
    },
    { limits: { changesPerMinute: 10_000, ...limits } },
  );
}

function isForPeople({ session }: Operation): boolean {
  return session !== undefined;
}

function sessionFaults({ session }: Operation): readonly OperationError[] {
  return [...OF_CALLER, ...(session === 'managers' ? OF_MANAGER : []), ...OF_PROOF, ...OF_BODY, 'invalid_fields'];
}

/** Those of them that the operation has, and at last what it names and does not find, in the order of its path. */
function faultsOf(operation: Operation, inOrder: readonly OperationError[], byKey = false): readonly OperationError[] {
  const { errors, body, query } = operation;
  const early = inOrder.filter((fault) => {
    if (fault === 'invalid_request') return body !== undefined;
    return errors.includes(fault) && (fault !== 'invalid_fields' || body !== undefined || query !== undefined);
  });
  const missing = namesIn(operation, byKey).flatMap((name) => missingIs(operation, name) ?? []);
  const last = byKey && errors.includes('allowance_exhausted') ? (['allowance_exhausted'] as const) : [];
  return [...new Set([...early, ...missing, ...last])];
}

function missingIs({ errors, method }: Operation, name: string): OperationError | undefined {
  if (method === 'put' && name === 'heartbeat') return undefined; // It is added.
  return errors.find((error) => error.endsWith(`${NOWHERE[name]?.[1]}_not_found`));
}

function namesIn({ path, query, body, scopes }: Operation, byKey: boolean): readonly string[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const { reads = [], withKey = reads } = query ?? {};
  // A person's inbox has no events of a channel that is not there.
  const inQuery = byKey ? withKey : reads.filter((name) => name !== 'channel' || scopes === undefined);
  return [...new Set([...inPath, ...inQuery, ...Object.keys(exampleOf(body))])].filter((name) => name in NOWHERE);
}

function exampleOf(schema: string | undefined): Readonly<Record<string, unknown>> {
  const examples = schema === undefined ? [] : (readSchema(schema).examples as readonly object[]);
  return (examples.find((example) => 'workspace' in example) ??
    examples.find((example) => Object.keys(example).length > 0) ??
    {}) as Record<string, unknown>;
}

/** Sends requests with all of the faults, with all but the first, and so on: each time the first one left must answer. */
async function assertOrder(
  scene: Scene,
  operation: Operation,
  faults: readonly OperationError[],
  end = faults.length,
  byKey = false,
): Promise<void> {
  for (const [at, first] of faults.slice(0, end).entries()) {
    const left = new Set(faults.slice(at));
    const [path, request] = requestWith(scene, operation, left);
    const caller = byKey ? await keyWith(scene, operation, left) : cookieWith(scene, left);
    const headers = { ...request.headers, ...caller.headers };
    const reply = await scene.api.request(path, { ...request, ...caller, headers });
    assert.is(errorIn(operation, reply), first, `${operation.operationId}: ${[...left].join()}`);
  }
}

/** Not found are told apart by their messages. */
function errorIn({ errors }: Operation, { status, body }: Reply): unknown {
  if (status === 422) return 'invalid_fields';
  if (status !== 404) return body.code ?? status;
  return errors.find((error) => API_ERRORS[error as ApiErrorCode]?.message === body.message);
}

function requestWith(scene: Scene, operation: Operation, faults: Faults): [string, RequestOptions] {
  const { method, path, query, body: schema } = operation;
  const isMissing = (name: string) => name in NOWHERE && faults.has(missingIs(operation, name) as OperationError);
  const there = {
    workspace: faults.has('workspace_inactive') ? 'dormant' : 'acme',
    channel: 'alerts',
    heartbeat: 'backup',
    device: scene.device,
    rota: 'payments',
  };
  const value = (name: string) => (isMissing(name) ? NOWHERE[name]?.[0] : there[name as keyof typeof there]) ?? '';
  const inPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value(name)));
  const asked = (query?.reads ?? []).filter(isMissing).map((name) => `${name}=${value(name)}`);
  if (query !== undefined && faults.has('invalid_fields')) asked.push('nonsense=1');
  const fields = Object.entries(exampleOf(schema)).map(([name, given]) => {
    if (faults.has('invalid_fields')) return [name, { wrong: true }];
    return [name, name in there ? value(name) : given];
  });
  if (faults.has('payload_too_large')) fields.push(['padding', 'x'.repeat(70_000)]);
  return [
    `/api${inPath}${asked.length > 0 ? `?${asked.join('&')}` : ''}`,
    {
      method: method.toUpperCase(),
      headers: {
        ...(faults.has('invalid_request') && { 'Content-Type': 'text/plain' }),
        ...(faults.has('unsupported_encoding') && { 'Content-Encoding': 'br' }),
      },
      ...(schema !== undefined && { body: Object.fromEntries(fields) }),
    },
  ];
}

function cookieWith({ member, unproven, admin }: Scene, faults: Faults): RequestOptions {
  const known = faults.has('role_too_low') ? member : faults.has('confirm_identity') ? unproven : admin;
  return {
    cookie: faults.has('not_signed_in') ? 'pses_0' : known,
    headers: faults.has('cross_site') ? { 'Sec-Fetch-Site': 'cross-site' } : {},
  };
}

/** A new key with these faults. */
async function keyWith({ api }: Scene, { scopes = [] }: Operation, faults: Faults): Promise<RequestOptions> {
  const scope = scopes.find((known) => known !== 'heartbeats:ping') ?? 'events:write';
  const other = SCOPES.find((known) => !scopes.includes(known) && known !== 'heartbeats:ping') ?? scope;
  const active = faults.has('allowance_exhausted') ? 'spent' : 'acme';
  const { id, text } = await api.issueKey({
    workspace: faults.has('workspace_inactive') ? 'dormant' : active,
    scopes: [faults.has('missing_scope') ? other : scope],
    ...(faults.has('rate_limited') && { burstPerMinute: 1 }),
  });
  if (faults.has('rate_limited') && !faults.has('missing_scope') && !faults.has('workspace_inactive')) {
    const [path, request] = THE_ONLY_ONE[scope];
    await api.request(path, { ...request, key: text });
  }
  if (faults.has('key_expired')) {
    const next = { newId: id.split('').reverse().join(''), secretHash: '00'.repeat(32) };
    granted(await api.store.rotateKey({ id, ...next, graceMs: 0 }));
  }
  if (faults.has('key_revoked')) granted(await api.store.revokeKey({ id }));
  return { key: faults.has('unauthenticated') ? `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}` : text };
}
