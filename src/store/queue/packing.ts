import { publicIdOf } from '../../contract/public-id.ts';
import type { Target } from '../../push.ts';
import type { Claim, ClaimedEvent } from '../calls.ts';
import { type KeptFields, keptFields } from '../event-columns.ts';
import { mannerStored, type StoredManner } from '../handlers/alerts/push.ts';

/** Event fields that either queue reads. `channelId` null: a test push. */
export interface QueuedEvent extends KeptFields, StoredManner {
  readonly id: number;
  readonly workspaceId: number;
  readonly uuid: Buffer;
  readonly channelId: number | null;
  readonly hadLinks: 0 | 1;
  readonly receivedAtMs: number;
  readonly workspace: string;
  readonly channel: string;
  /** Null: a test push. */
  readonly channelName: string | null;
  /** The only person for whom it rings; null: everyone. */
  readonly onCall: number | null;
}

/** `isInformed`: the event rings for another person alone, so this device gets it without a sound. */
export type ClaimedTarget = Omit<Target, 'event'> & { readonly isInformed?: true };

/** An event's claimed devices, with what they get. `Part`: a stored claimed part. */
export interface ClaimedTargets<Part> {
  readonly part: Part;
  readonly event: ClaimedEvent;
  readonly targets: readonly ClaimedTarget[];
}

export function claimedEvent(row: QueuedEvent, leftMs: number): ClaimedEvent {
  const { id: eventId, workspaceId, channelId, workspace, channel, channelName, receivedAtMs, hadLinks } = row;
  const publicId = publicIdOf(row.uuid);
  const { oneText, ...kept } = keptFields(row);
  const headline = oneText === 1 && channelName !== null ? { headline: channelName } : {};
  const event = { publicId, workspace, channel, receivedAtMs, ...kept, ...headline, ...mannerStored(row) };
  return { eventId, workspaceId, channelId, event, hadLinks: hadLinks === 1, leftMs };
}

/** Packs claimed parts into batches, unsplit: each was claimed for one batch's free space. */
export function inBatches<Part>(
  taken: readonly ClaimedTargets<Part>[],
  batchSize: number,
): readonly ClaimedTargets<Part>[][] {
  const batches: ClaimedTargets<Part>[][] = [];
  let free = 0;
  for (const claimed of taken) {
    if (free < claimed.targets.length) {
      batches.push([]);
      free = batchSize;
    }
    batches.at(-1)?.push(claimed);
    free -= claimed.targets.length;
  }
  return batches;
}

/** Lists a batch's events once, as each target hears them, and targets with the place of their event. */
export function packed(batch: readonly ClaimedTargets<unknown>[]): Pick<Claim, 'events' | 'targets'> {
  const places = new Map<number, number>();
  const events: ClaimedEvent[] = [];
  const targets: Target[] = [];
  for (const { event, targets: targetsOfEvent } of batch) {
    for (const target of targetsOfEvent) {
      const name = target.isInformed ? -event.eventId : event.eventId;
      const place = places.get(name) ?? events.push(target.isInformed ? informing(event) : event) - 1;
      places.set(name, place);
      targets.push({ event: place, ...target });
    }
  }
  return { events, targets };
}

function informing(claimed: ClaimedEvent): ClaimedEvent {
  return { ...claimed, event: { ...claimed.event, quiet: true } };
}
