import { connect } from 'node:http2';
import { isIP } from 'node:net';
import { plainEvent } from '../../contract/event-body.ts';
import { BoundExceeded, boundStream } from '../../process/bounded-request.ts';
import type { Clock } from '../../process/clock.ts';
import type { Outcome, Route } from '../../push.ts';
import { PROBE_DEADLINE_MS, timeIn } from '../https.ts';
import { outcomeOfFault } from '../outcomes.ts';
import { MAX_ANSWER_BYTES, type Probe, type Probed, type Vendor } from '../provider.ts';
import type { Tokens } from '../signing/tokens.ts';
import type { ApnsSettings } from './credentials.ts';

export const APPLE: Vendor = { name: 'Apple', domain: 'push.apple.com' };
/** No device has it. */
const NOBODYS_TOKEN = '0'.repeat(64);

const TAKES_ALL: Probed = {
  warning: 'a push to a token that belongs to no device was accepted',
  advice:
    'the endpoint is not APNs but a program that accepts any token, such as `pushctl sandbox --accept-unknown-tokens`',
};

export const apnsProbe: Probe<ApnsSettings> = {
  endpoint: (route, { endpointProduction, endpointSandbox }) =>
    route === 'apns_sandbox'
      ? { url: endpointSandbox, setting: 'apns.endpoint_sandbox', vendor: APPLE }
      : { url: endpointProduction, setting: 'apns.endpoint_production', vendor: APPLE },

  /** Probes without a device. A right key gets BadDeviceToken. */
  async ask(route, settings, clock, tokens) {
    const apps = [settings.topic, ...settings.topics];
    for (const topic of apps) {
      const outcome = await pushToNobody(route, { ...settings, topic, topics: [] }, clock, tokens);
      if (outcome.kind === 'accepted') return TAKES_ALL;
      if (outcome.reason !== 'BadDeviceToken') return { refused: outcome, ...(apps.length > 1 && { to: topic }) };
    }
    return {
      works: `accepts pushes with this key${apps.length > 1 ? ` for ${new Intl.ListFormat('en-GB').format(apps)}` : ''}`,
    };
  },

  time: ({ endpointProduction, ca }) => ({
    url: endpointProduction,
    vendor: APPLE,
    answer: timeAtHttp2(endpointProduction, ca),
  }),
};

async function pushToNobody(route: Route, settings: ApnsSettings, clock: Clock, tokens: Tokens): Promise<Outcome> {
  const { createApnsClient } = await import('./client.ts');
  const client = createApnsClient(route, settings, clock, tokens, { deadlineMs: PROBE_DEADLINE_MS });
  const event = {
    ...plainEvent('doctor', 'pushctl doctor'),
    publicId: 'evt_00000000000000000000000000',
    workspace: 'doctor',
    receivedAtMs: clock.wallMs(),
  };
  const target = {
    event: 0,
    deviceId: 0,
    token: NOBODYS_TOKEN,
    tokenKind: 'token',
    keys: null,
    attempts: 0,
    wasAccepted: false,
    isQuarantined: false,
  } as const;
  const [sent] = await client.send({
    id: 'probe',
    route,
    lane: 'standard',
    events: [{ event, ttlMs: PROBE_DEADLINE_MS }],
    targets: [target],
    revoked: new Uint8Array(1),
  });
  await client.close();
  return sent?.outcome ?? outcomeOfFault('internal_error');
}

/** Apple's servers speak HTTP/2 only. */
function timeAtHttp2(endpoint: string, ca: string | undefined): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  const session = connect(endpoint, { ...(ca !== undefined && { ca }), ...servernameFor(endpoint) });
  const timer = setTimeout(() => session.destroy(new BoundExceeded('ETIMEDOUT')), PROBE_DEADLINE_MS);
  session.once('error', reject);
  session.once('close', () => reject(new Error('no answer')));
  const asking = session.request({ ':method': 'GET', ':path': '/' });
  boundStream(asking, { mostBytes: MAX_ANSWER_BYTES });
  asking.once('error', reject);
  asking.once('response', ({ date }) => resolve(timeIn(date)));
  return promise.finally(() => {
    clearTimeout(timer);
    session.destroy();
  });
}

/** Returns the name that selects the certificate; addresses have none. */
function servernameFor(endpoint: string): { servername?: string } {
  return isIP(new URL(endpoint).hostname) === 0 ? {} : { servername: '' };
}
