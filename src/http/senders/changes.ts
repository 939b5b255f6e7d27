import { senderCollapseKey } from '../../contract/collapse-key.ts';
import type { SenderChange } from '../../contract/senders/format.ts';
import { keyWithin } from '../../contract/senders/texts.ts';
import { isRefusal, type Reach, type Refusal } from '../../store/calls.ts';
import { type Integrator, reachOf } from '../auth/api-key.ts';
import { unwrap } from '../unwrap.ts';

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
