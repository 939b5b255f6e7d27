import fc from 'fast-check';
import { inForm, type KeyForm } from '../../src/contract/api-key.ts';
import { Body } from '../../src/contract/senders/bodies.ts';
import type {
  AcceptedEvent,
  Publication,
  PublishAct,
  Reply,
  SenderFormat,
  SenderRequest,
} from '../../src/contract/senders/format.ts';
import type { EventRecord } from '../../src/push.ts';
import type { AcceptArgs } from '../../src/store/calls.ts';
import { type Api, type ApiOptions, withApi } from './http.ts';
import { NOW_MS } from './store.ts';
import { ANY_CHARACTER } from './texts.ts';

/** A workspace whose senders post with a key that is bound to its channel `alerts`. */
export interface SenderScene {
  readonly api: Api;
  /** The bound key, written as asked for. */
  readonly key: (form?: KeyForm) => string;
  /** Returns the accepted events, in order. */
  readonly accepted: readonly AcceptArgs[];
  /** Returns the last accepted event. */
  readonly last: () => AcceptArgs;
}

export async function withSender(options: ApiOptions, use: (scene: SenderScene) => Promise<void>): Promise<void> {
  const accepted: AcceptArgs[] = [];
  await withApi(
    async (api) => {
      const { text } = await api.issueKey({ channels: ['alerts'], scopes: ['events:write'] });
      const last = (): AcceptArgs => {
        const event = accepted.at(-1);
        if (event === undefined) throw new Error('nothing was accepted');
        return event;
      };
      await use({ api, key: (form = 'pctl_') => inForm(form, text), accepted, last });
    },
    { onAccepted: (args) => accepted.push(args), ...options },
  );
}

export interface AskedRequest {
  readonly params?: SenderRequest['params'];
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as a format sees it. */
export function aRequest({ params = {}, query = '', headers = {}, body = '' }: AskedRequest = {}): SenderRequest {
  const parts = {
    params,
    query: new URLSearchParams(query),
    body: new Body(body, { contentType: headers['content-type'] ?? '' }),
  };
  return { ...parts, header: (name) => headers[name] ?? '', nowMs: NOW_MS };
}

/**
 * Returns the reading of a format for a request to one of its addresses, with the defaults of events; it must have a
 * text.
 */
export async function publishWith(
  format: SenderFormat,
  path: string,
  request: AskedRequest,
): Promise<Publication & { readonly answer: (accepted: AcceptedEvent) => unknown }> {
  const publication = await publishedBy(format, path, request);
  if (publication === null || 'reply' in publication) throw new Error('nothing is published');
  const event = { level: 'info', delivery_urgency: 'standard', ...publication.fallback, ...publication.event } as const;
  return { ...publication, event, answer: (to) => actAt(format, path).answer?.(to, publication.repeated ?? {}) };
}

/** Like `publishWith`, also for requests that make no event; null: there is no text. */
export async function publishedBy(
  format: SenderFormat,
  path: string,
  request: AskedRequest,
): Promise<Publication | Reply | null> {
  return actAt(format, path).publish(aRequest(request));
}

function actAt({ addresses }: SenderFormat, path: string): PublishAct {
  const act = addresses.find((address) => address.path === path)?.act;
  if (act === undefined || !('publish' in act)) throw new Error(`nothing is published at ${path}`);
  return act;
}

/** An event that was accepted in November 2026, and is kept for a minute. */
export function accepted(channel: string): AcceptedEvent {
  const event: EventRecord = {
    public_id: 'evt_1',
    event_uuid: '01a1fc7b-d8a5-7280-83c2-0d3bed29ec49',
    status: 'queued',
    level: 'info',
    event_type: null,
    target_device_count: 1,
    received_at: '2026-11-18T11:06:40.000+00:00',
  };
  return { event, channel, keptMs: 60_000 };
}

/** An alert as Alertmanager has it. */
export function anAlert(with_: object = {}): object {
  return {
    status: 'firing',
    labels: { alertname: 'InstanceDown', instance: 'db-1', severity: 'critical' },
    annotations: { summary: 'db-1 is down', description: 'It has not answered for five minutes.' },
    startsAt: '2026-11-21T09:30:00Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus.example.com/graph?g0.expr=up',
    fingerprint: '6b2e0d1c5a3f4e7d',
    ...with_,
  };
}

/** A notification as Alertmanager posts it: one alert that fires. */
export function aNotification(with_: object = {}): object {
  return {
    receiver: 'pushctl',
    status: 'firing',
    alerts: [anAlert()],
    groupLabels: { alertname: 'InstanceDown' },
    commonLabels: { alertname: 'InstanceDown', severity: 'critical' },
    commonAnnotations: {},
    externalURL: 'http://alertmanager.example.com',
    version: '4',
    groupKey: '{}:{alertname="InstanceDown"}',
    truncatedAlerts: 0,
    ...with_,
  };
}

/** Bodies that are nearly what some format has, and bodies that are nothing like it. */
export function aSenderBody(): fc.Arbitrary<string> {
  const value = fc.oneof(
    fc.string({ unit: ANY_CHARACTER }),
    fc.jsonValue(),
    fc.webUrl(),
    fc.constantFrom('firing', 'good', 'trigger', 'resolve', '0001-01-01T00:00:00Z'),
  );
  const fields = fc.dictionary(fc.constantFrom(...FIELDS), fc.oneof(value, fc.array(fc.dictionary(ANY_FIELD, value))));
  return fc.oneof(
    fc.string({ unit: ANY_CHARACTER }),
    fc.json(),
    fields.map((body) => JSON.stringify(body)),
    fields.map((body) => JSON.stringify(aNotification(body))),
    fields.map((body) => JSON.stringify(aNotification({ alerts: [anAlert(body), body] })).slice(0, -7)),
    fields.map((body) => `payload=${encodeURIComponent(JSON.stringify(body).toWellFormed())}`),
    fc.integer({ min: 1, max: 6_500 }).map((depth) => `${'{"text":'.repeat(depth)}1${'}'.repeat(depth)}`),
    fc
      .integer({ min: 1, max: 6_500 })
      .map((depth) => `{"extras":${'['.repeat(depth)}${']'.repeat(depth)},"message":"x"}`),
  );
}

const FIELDS = [
  ...['topic', 'title', 'message', 'tags', 'priority', 'click', 'extras', 'text', 'attachments', 'blocks', 'fields'],
  ...['status', 'alerts', 'labels', 'annotations', 'groupKey', 'commonLabels', 'generatorURL', 'imageURL', 'color'],
  ...['startsAt', 'endsAt', 'ts', 'event_action', 'dedup_key', 'payload', 'summary', 'links', 'custom_details'],
];
const ANY_FIELD = fc.constantFrom(...FIELDS);
