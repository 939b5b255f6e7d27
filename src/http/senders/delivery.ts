import { hash } from 'node:crypto';
import { senderCollapseKey } from '../../contract/event-body.ts';
import type { EventDefaults } from '../../contract/posted-event.ts';
import type { Notification, SenderChange } from '../../contract/senders/format.ts';
import { keyWithin } from '../../contract/senders/texts.ts';
import type { PostedEvent } from '../../push.ts';
import { isRefusal, type Reach, type Refusal } from '../../store/calls.ts';
import type { JsonObject } from '../../values/json.ts';
import type { Acceptance, Accepted, Poster } from '../acceptance.ts';
import { type Integrator, reachOf } from '../auth/api-key.ts';
import { ApiError, FieldsError, unwrap } from '../errors.ts';

/** A delivery of an event, which the sender may repeat. */
interface Delivery {
  /** Tells whether its firing alerts had ended: it came late, by the pair's other Alertmanager. */
  isOver(): Promise<boolean>;
  /** Accepts the event once for all deliveries of a notification, unless it has an idempotency key. */
  accept(acceptance: Acceptance, by: Poster): Promise<Accepted>;
}

export function deliveryOf(
  { key, store }: Integrator,
  event: PostedEvent,
  notification: Notification | undefined,
  wallMs: number,
): Delivery {
  if (notification === undefined || event.idempotencyKey !== null) {
    return { isOver: async () => false, accept: (acceptance, by) => acceptance.accept(by, event) };
  }
  const { group } = notification;
  const named = { ...reachOf(key), channel: event.channel, group: group?.key ?? '' };
  const [current, before] = periodsOf(event.channel, notification, wallMs);
  return {
    async isOver() {
      const firing = Object.entries(group?.firing ?? {});
      if (firing.length === 0) return false;
      const ended = await store.endsOfAlerts(named);
      return firing.every(([alert, beganMs]) => beganMs < (ended[alert] ?? Number.NEGATIVE_INFINITY));
    },

    async accept(acceptance, by) {
      const { request: _, ...counted } = by;
      const earlier = await acceptance.check(by, { ...event, idempotencyKey: before });
      const isSame = earlier.kind === 'replayed' && isWithin(notification, earlier.event.received_at, wallMs);
      const accepted = isSame ? earlier : await acceptance.accept(counted, { ...event, idempotencyKey: current });
      if (group !== undefined && Object.keys(group.ended).length > 0) {
        await store.noteEndsOfAlerts({ ...named, ended: group.ended });
      }
      return accepted;
    },
  };
}

/**
 * Returns the current idempotency key and the previous period's. Alertmanager's repeats, retries and the pair's other
 * delivery are byte-identical: only time distinguishes them.
 */
function periodsOf(
  channel: string,
  { key, sameForMs }: Notification,
  wallMs: number,
): readonly [current: string, before: string] {
  const period = Math.floor(wallMs / sameForMs);
  const digest = hash('sha256', `${channel}\n${key}`);
  return [`notification:${digest}:${period}`, `notification:${digest}:${period - 1}`];
}

function isWithin({ sameForMs }: Notification, receivedAt: string, wallMs: number): boolean {
  return wallMs - Date.parse(receivedAt) < sameForMs;
}

/**
 * Changes the live alert of a collapse key; `withdraw` also scheduled events. No match is fine. Returns false if the
 * key may not change all.
 */
export async function applyChange(by: Integrator, change: Required<SenderChange>): Promise<boolean> {
  const { kind, channel, collapseKey: given } = change;
  const { store } = by;
  const reach = reachOf(by.key);
  const collapseKey = senderCollapseKey(keyWithin(given.toWellFormed()));
  const living = await store.listAlerts({ reach, channel, state: 'live', collapseKey, limit: 1 });
  const alerts = unwrap(living, 'channel_not_found').alerts.map(({ id }) => id);
  if (kind === 'acknowledge') return hasDoneAll(alerts, (publicId) => store.acknowledgeAlert({ reach, publicId }));
  const found = alerts.length > 0 || kind === 'resolve' ? alerts : await alertById(by, { reach, channel }, given);
  const isResolved = await hasDoneAll(found, (publicId) => store.resolveAlert({ reach, publicId }));
  if (kind === 'resolve') return isResolved;
  const { publicIds } = await store.findScheduled({ ...reach, channel, collapseKey, publicId: given });
  return (await hasDoneAll(publicIds, (publicId) => store.cancelEvent({ reach, publicId }))) && isResolved;
}

/** Returns an event's alert. Unnamed messages are named by the answer's id. */
async function alertById(
  { store }: Integrator,
  { reach, channel }: { readonly reach: Reach; readonly channel: string },
  publicId: string,
): Promise<readonly string[]> {
  const found = await store.showAlert({ reach, publicId });
  return !isRefusal(found) && found.alert.channel === channel ? [found.alert.id] : [];
}

/** Calls made together go to disk together. A sequence may have thousands of events. */
const AT_ONCE = 50;

async function hasDoneAll(
  publicIds: readonly string[],
  act: (publicId: string) => Promise<object | Refusal>,
): Promise<boolean> {
  let isAll = true;
  for (let begin = 0; begin < publicIds.length; begin += AT_ONCE) {
    const answers = await Promise.all(publicIds.slice(begin, begin + AT_ONCE).map(act));
    if (answers.some(isRefusal)) isAll = false;
  }
  return isAll;
}

/** An event with the key's defaults, then the format's. */
interface Unfitted {
  readonly given: JsonObject;
  readonly fallback: EventDefaults | undefined;
  readonly by: { readonly defaults: EventDefaults | null };
  /** An empty text: none. */
  readonly idempotencyKey: string;
}

/** Drops invalid fields. `wrong`: their names. */
export function fit(
  acceptance: Pick<Acceptance, 'parse'>,
  { given, fallback, by, idempotencyKey }: Unfitted,
): { readonly event: PostedEvent; readonly wrong: readonly string[] } {
  const fitted = { ...given, ...(idempotencyKey !== '' && { idempotency_key: keyWithin(idempotencyKey) }) };
  const defaults = { ...fallback, ...by.defaults };
  const parse = (fields: JsonObject) => acceptance.parse({ defaults }, fields);
  const parsed = parse(fitted);
  if (parsed.valid) return { event: marked(parsed.event), wrong: [] };
  const wrong = Object.keys(parsed.problem.errors);
  if (wrong.includes('channel')) throw new ApiError('channel_not_found');
  const again = parse(Object.fromEntries(Object.entries(fitted).filter(([name]) => !wrong.includes(name))));
  if (!again.valid) throw new FieldsError(again.problem);
  return { event: marked(again.event), wrong };
}

/** Only for formats: the API shows a lone title twice, as specified. */
function marked(event: PostedEvent): PostedEvent {
  return event.description === null ? { ...event, oneText: 1 } : event;
}
