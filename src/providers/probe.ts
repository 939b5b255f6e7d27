import { connect } from 'node:http2';
import { isIP } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Outcome, Route } from '../push.ts';
import { AccessTokens } from './fcm/access-token.ts';
import { ask } from './https.ts';
import { createProvider } from './index.ts';
import { judge, judgeFault } from './outcomes.ts';
import type { ApnsSettings, FcmSettings } from './provider.ts';

const DEADLINE_MS = 10_000;
/** No device has it. */
const NOBODYS_TOKEN = '0'.repeat(64);
const NOBODYS_TOPIC = 'pushctl-doctor';

/** What Apple says to a push for no device: where the key is right, that it is a BadDeviceToken. */
export async function askApns(route: Exclude<Route, 'fcm'>, settings: ApnsSettings, clock: Clock): Promise<Outcome> {
  const provider = await createProvider(route, { apns: settings }, { deadlineMs: DEADLINE_MS }, clock);
  if (provider === null) return judgeFault('provider_off');
  const event = {
    publicId: 'evt_00000000000000000000000000',
    workspace: 'doctor',
    channel: 'doctor',
    title: 'pushctl doctor',
    description: null,
    level: 'info',
    urgency: 'standard',
    eventType: null,
    collapseKey: null,
    receivedAtMs: clock.wallMs(),
    links: {},
  } as const;
  const target = {
    event: 0,
    deviceId: 0,
    token: NOBODYS_TOKEN,
    tokenKind: 'token',
    attempts: 0,
    wasAccepted: false,
    isSuspect: false,
  } as const;
  const [sent] = await provider.send({
    id: 0,
    route,
    lane: 'standard',
    events: [{ event, ttlMs: DEADLINE_MS }],
    targets: [target],
    recalls: new Uint8Array(1),
  });
  await provider.close();
  return sent?.outcome ?? judgeFault('internal_error');
}

/**
 * What Google says to a message that it is to check and not to send: whether the account may send in its project.
 * https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send
 */
export async function askFcm(settings: FcmSettings, clock: Clock): Promise<Outcome> {
  const access = await new AccessTokens(settings, clock).get();
  if ('fault' in access) return judgeFault(access.fault);
  const project = encodeURIComponent(settings.serviceAccount.project_id);
  const url = new URL(`/v1/projects/${project}/messages:send`, settings.endpoint);
  const body = JSON.stringify({ validate_only: true, message: { topic: NOBODYS_TOPIC, data: {} } });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${access.token}` };
  const answer = await ask(url, { method: 'POST', headers, body, ca: settings.ca }).catch(() => null);
  if (answer === null) return judgeFault('connect_failed');
  return judge('fcm', { status: answer.status, reason: errorCodeIn(answer.body) });
}

/** The time at an HTTPS server, in Unix ms, to the second; null where it does not say. Rejects where there is none. */
export async function timeAt(endpoint: string, ca: string | undefined): Promise<number | null> {
  const { date } = await ask(endpoint, { method: 'GET', ca });
  return parsedTime(date);
}

/** As `timeAt`, of a server that speaks HTTP/2 only, as Apple's do. */
export function timeAtHttp2(endpoint: string, ca: string | undefined): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  const session = connect(endpoint, { ...(ca !== undefined && { ca }), ...servernameFor(endpoint) });
  session.setTimeout(DEADLINE_MS, () => session.destroy(new Error('no answer')));
  session.once('error', reject);
  session.once('close', () => reject(new Error('no answer')));
  const asking = session.request({ ':method': 'GET', ':path': '/' });
  asking.once('error', reject);
  asking.once('response', ({ date }) => resolve(parsedTime(date)));
  return promise.finally(() => session.destroy());
}

function parsedTime(date: string | undefined): number | null {
  const ms = Date.parse(date ?? '');
  return Number.isNaN(ms) ? null : ms;
}

/** A name is needed to choose the certificate; for an address there is none to send. */
function servernameFor(endpoint: string): { servername?: string } {
  return isIP(new URL(endpoint).hostname) === 0 ? {} : { servername: '' };
}

/** FCM's own code stands in the details, Google's general one beside them. */
function errorCodeIn(body: string): string | null {
  try {
    const { error } = JSON.parse(body) as { error?: { status?: string; details?: { errorCode?: string }[] } };
    return error?.details?.find(({ errorCode }) => errorCode !== undefined)?.errorCode ?? error?.status ?? null;
  } catch {
    return null;
  }
}
