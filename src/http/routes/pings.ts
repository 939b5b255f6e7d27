import { OUTPUT_CHARACTERS, uuidIn } from '../../contract/heartbeats.ts';
import type { Ping, PingAnswer } from '../../store/calls.ts';
import { decodeText, lastCharacters } from '../../values/text.ts';
import { ApiError, errorResponse, unwrap } from '../errors.ts';
import { parametersIn } from '../query.ts';
import type { Context, Handler } from '../request-state.ts';
import { type HttpResponse, respondWith } from '../response.ts';
import type { Service } from '../service.ts';

export interface PingRoute {
  readonly method: 'get' | 'post';
  /** The address's form for logs, without UUID or key. */
  readonly pattern: string;
  readonly handler: Handler;
}

/** Addresses and text answers of pings like Healthchecks (`hc/api/views.py`), documented there, not in our API. */
export function pingRoutes(service: Service): readonly PingRoute[] {
  const handler = takePing(service);
  // The first part is a UUID, or a ping key before a slug.
  const patterns = ['/ping/:first', '/ping/:first/:second', '/ping/:first/:second/:third'];
  return patterns.flatMap((pattern) => (['get', 'post'] as const).map((method) => ({ method, pattern, handler })));
}

const BODY_LIMIT_BYTES = 4_194_304;
/** Four bytes a character plus a cut one. Even, since UTF-16 takes two or four. */
const KEPT_BYTES = 4 * OUTPUT_CHARACTERS + 4;
const BODY = { limitBytes: BODY_LIMIT_BYTES, kept: { last: KEPT_BYTES } };
const HIGHEST_EXIT_STATUS = 255;

const NOT_FOUND = respondWith('not found', {}, 404);
const BAD_URL = respondWith('invalid url format', {}, 400);
const BAD_RID = respondWith('invalid uuid format', {}, 400);
/** Clients such as runitor honour this limit. */
const TAKEN = respondWith('OK', { 'Ping-Body-Limit': String(OUTPUT_CHARACTERS) });
const CREATED = respondWith('Created', { 'Ping-Body-Limit': String(OUTPUT_CHARACTERS) }, 201);
const AMBIGUOUS = respondWith('ambiguous slug', {}, 409);

type Report = Pick<Ping, 'kind' | 'exitStatus'>;

/** Answers after the ping is synced to disk. Unknown addresses count as guesses of keys. */
function takePing(service: Service): Handler {
  const { throttle } = service;
  const find = pingTargets(service);
  const unknown = async (context: Context): Promise<HttpResponse> => {
    await throttle.connection.request(context);
    return NOT_FOUND;
  };
  return async (context) => {
    context.state.describeError = inText;
    const query = parametersIn(context.querystring);
    const address = addressIn(context.params);
    const report = reportIn(address.end);
    const target = report === null ? 'unknown' : await find(context, address, query.get('create') === '1');
    if (target === 'unknown' || report === null) return unknown(context);
    if (target === 'bad') return BAD_URL;
    if (target === 'ambiguous') return AMBIGUOUS;
    if (target.isNew) await throttle.connection.request(context);
    await throttle.pings(target.name);
    if ((report.exitStatus ?? 0) > HIGHEST_EXIT_STATUS) return BAD_URL;
    const givenRid = query.get('rid');
    const rid = givenRid === null ? null : uuidIn(givenRid);
    if (givenRid !== null && rid === null) return BAD_RID;
    const bytes = await context.state.bodies.receive(context, BODY);
    const body = textOf(decodeText(bytes, context.req.headers['content-type']));
    const kind = report.kind === 'success' && query.get('status') === 'down' ? 'fail' : report.kind;
    const answer = await target.ping({ ...report, kind, rid, output: body ?? textOf(query.get('msg') ?? '') });
    if (answer.kind === 'unknown') return unknown(context);
    return target.isNew ? CREATED : TAKEN;
  };
}

/** The report follows a UUID, or a key and a slug. */
function addressIn({ first = '', second, third }: Context['params']): PingAddress {
  const uuid = uuidIn(first);
  if (uuid !== null && third === undefined) return { uuid, end: second };
  return { key: first, slug: second ?? '', end: third };
}

/** Returns the report of an address's end; null: none. */
function reportIn(end: string | undefined): Report | null {
  switch (end) {
    case undefined:
      return { kind: 'success', exitStatus: null };
    case 'start':
    case 'fail':
    case 'log':
      return { kind: end, exitStatus: null };
    default: {
      const exitStatus = Number(end);
      return /^\d+$/.test(end) ? { kind: exitStatus === 0 ? 'success' : 'fail', exitStatus } : null;
    }
  }
}

/** Returns the kept end of a text; null: blank. */
function textOf(text: string): string | null {
  if (text.trim() === '') return null;
  return lastCharacters([...text.replaceAll('\0', '\uFFFD')], OUTPUT_CHARACTERS).join('');
}

/** Answers in text, as such clients read no JSON. */
function inText(error: unknown): HttpResponse {
  const { status, body, headers } = errorResponse(error);
  return respondWith((body as { readonly message: string }).message, headers, status);
}

/** A heartbeat by UUID, or by ping key and slug. `end`: the remaining path. */
type PingAddress = { readonly end: string | undefined } & (
  | { readonly uuid: string }
  | { readonly key: string; readonly slug: string }
);

interface PingTarget {
  /** The limit on pings counts by this name. */
  readonly name: string;
  /** Whether the ping adds the heartbeat. */
  readonly isNew: boolean;
  ping(ping: Omit<Ping, 'uuid'>): Promise<PingAnswer>;
}

type NoTarget = 'unknown' | 'bad' | 'ambiguous';

/** Healthchecks' slugs. */
const SLUG = /^[-\w]+$/;

/** Finds a heartbeat as Healthchecks does: lower-case slugs; `create=1` adds one. */
function pingTargets({ store: open, authorize }: Service) {
  async function byUuid(uuid: string): Promise<PingTarget | NoTarget> {
    if (!(await open.knowsHeartbeat({ uuid }))) return 'unknown';
    return { name: uuid, isNew: false, ping: (ping) => open.pingHeartbeat({ ...ping, uuid }) };
  }

  async function byName(context: Context, token: string, slug: string, canCreate: boolean) {
    if (!SLUG.test(slug)) return 'unknown';
    if (slug !== slug.toLowerCase()) return 'bad';
    const caller = await authorize(context, ['heartbeats:ping'], token).catch(ignoringUnknownKeys);
    if (caller === null) return 'unknown';
    const { key, store } = caller;
    const { origin } = key;
    const named = { workspaceId: key.workspaceId, keyId: key.id, origin, slug };
    const found = await store.findNamedHeartbeat(named);
    if (found.kind === 'ambiguous') return 'ambiguous';
    if (found.kind === 'unreachable' || (found.kind === 'none' && !canCreate)) return 'unknown';
    if (found.kind === 'none' && key.workspaceStatus !== 'active') throw new ApiError('workspace_inactive');
    const known = found.kind === 'found' ? found.uuid : null;
    return {
      name: known ?? `${origin} ${slug}`,
      isNew: known === null,
      async ping(ping: Omit<Ping, 'uuid'>) {
        const uuid = known ?? unwrap(await store.addNamedHeartbeat(named), 'heartbeat_not_found').uuid;
        return store.pingHeartbeat({ ...ping, uuid, pingedBy: origin });
      },
    };
  }

  return (context: Context, address: PingAddress, canCreate: boolean): Promise<PingTarget | NoTarget> =>
    'uuid' in address ? byUuid(address.uuid) : byName(context, address.key, address.slug, canCreate);
}

/** Treats unknown keys like unknown addresses. */
function ignoringUnknownKeys(error: unknown): null {
  if (error instanceof ApiError && error.code === 'unauthenticated') return null;
  throw error;
}
