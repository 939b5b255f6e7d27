import { hash } from 'node:crypto';
import type { JsonObject } from '../../values/json.ts';
import { fromTimestamp } from '../../values/timestamp.ts';
import { type Body, Cutter, isShallow, objectOf, textOf } from './bodies.ts';
import {
  type AcceptedEvent,
  occurredAt,
  type Publication,
  type Reply,
  type SenderBody,
  type SenderFormat,
  type SenderRequest,
} from './format.ts';
import { RECOVERED, WRONG, weightOf } from './levels.ts';
import { textsOf } from './texts.ts';

/**
 * PagerDuty's Events API, version 2: https://developer.pagerduty.com/docs/send-alert-event. The routing key is the API
 * key, and the key's one channel is the service.
 */
export const PAGERDUTY: SenderFormat = {
  keys: [{ in: 'authorization' }, { in: 'header', name: 'x-routing-key' }, { in: 'body', name: 'routing_key' }],
  keyForm: 'pctl_',
  // Its own API answers so: https://developer.pagerduty.com/docs/events-api-v2/overview/#response-codes--retry-logic
  retriesAfter429: true,
  addresses: [{ methods: ['post'], path: '/v2/enqueue', act: { publish, answer } }],
  error: ({ status, reason, message }) => errorOf(status === 400 ? 'invalid event' : reason.toLowerCase(), message, []),
  configuration: ({ address, key }) => [`URL: ${address}/v2/enqueue`, `Routing key: ${key}`].join('\n'),
};

const ACTIONS = ['trigger', 'acknowledge', 'resolve'];
const MOST = 100;
const MOST_VALUES = 500;
const DEEPEST = 4;
const DEEPEST_PAYLOAD = 32;
/** Events lack times that distinguish repeats from retries. */
const SAME_FOR_MS = 300_000;

/**
 * Makes an event of a trigger, or a resolve with content, which replaces it. Other resolves and acknowledgements change
 * the live alert.
 */
function publish({ body }: SenderRequest): Publication | Reply {
  const { event_action: given, dedup_key: dedup, payload: about, links, images, client_url: client } = body.fields;
  const [action, dedupKey, payload] = [textOf(given), textOf(dedup).trim(), objectOf(about)];
  const isResolved = action === 'resolve';
  const summary = textOf(payload.summary).trim();
  if (!ACTIONS.includes(action)) return invalid(`'event_action' must be one of ${ACTIONS.join(', ')}`);
  if (action !== 'trigger' && dedupKey === '') return invalid("'dedup_key' is missing or blank");
  if (action === 'acknowledge' || (isResolved && summary === '')) return changed(dedupKey, isResolved);
  const lists = new Cutter(MOST_VALUES);
  const isStated = !isResolved || /resolved/i.test(summary.slice(0, MOST));
  const texts = summary && textsOf(isStated ? summary : `[RESOLVED] ${summary}`, detailsIn(payload, lists));
  if (!texts) return invalid("'payload.summary' is missing or blank");
  const [url] = [...lists.objects('links', links, MOST).map(({ href }) => textOf(href)), textOf(client)].filter(
    Boolean,
  );
  const [image] = lists
    .objects('images', images, MOST)
    .map(({ src }) => textOf(src))
    .filter(Boolean);
  return {
    event: {
      ...texts,
      ...(isResolved ? RECOVERED : weightOf('severity', textOf(payload.severity))),
      ...(url && { url }),
      ...(image && { image_url: image }),
      ...(dedupKey !== '' && { collapse_key: dedupKey }),
      ...occurredAt([fromTimestamp(textOf(payload.timestamp))]),
    },
    fallback: WRONG,
    cut: lists.cut,
    // Without a key, each event is its own incident, as in PagerDuty.
    ...(dedupKey !== '' && { notification: { key: keyOf(body, [dedupKey, action, payload]), sameForMs: SAME_FOR_MS } }),
    status: 202,
    repeated: { dedupKey },
  };
}

function answer({ event }: AcceptedEvent, { dedupKey }: JsonObject): SenderBody {
  return processed(textOf(dedupKey) || event.event_uuid.replaceAll('-', ''));
}

/** Returns the incident's place, and the details as text or fields. */
function detailsIn(
  { source, component, group, class: kind, custom_details: details }: JsonObject,
  lists: Cutter,
): string {
  const places = [source, component, group, kind].map(textOf).filter(Boolean);
  const fields = [...lists.fields('custom_details', flat(details), MOST)].map(
    ([name, value]) => `${name}: ${value.trim()}`,
  );
  return [places.join(' · '), textOf(details), ...fields].filter(Boolean).join('\n');
}

/** Writes nested values as JSON, unless too deep. */
function flat(details: unknown): JsonObject {
  const entries = Object.entries(objectOf(details)).slice(0, MOST + 1);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null && isShallow(value, DEEPEST) ? JSON.stringify(value) : value,
    ]),
  );
}

/** Omits what differs in an Alertmanager pair. Too deeply nested parts stay as received. */
function keyOf({ text }: Body, parts: readonly unknown[]): string {
  return hash('sha256', isShallow(parts, DEEPEST_PAYLOAD) ? JSON.stringify(parts) : text);
}

function changed(collapseKey: string, isResolved: boolean): Reply {
  const change = { kind: isResolved ? 'resolve' : 'acknowledge', collapseKey } as const;
  return { status: 202, reply: processed(collapseKey), change };
}

function processed(dedupKey: string): SenderBody {
  return { status: 'success', message: 'Event processed', dedup_key: dedupKey };
}

function invalid(error: string): Reply {
  return { status: 400, reply: errorOf('invalid event', 'Event object is invalid', [error]) };
}

function errorOf(status: string, message: string, errors: readonly string[]): SenderBody {
  return { status, message, errors };
}
