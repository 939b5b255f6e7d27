import type { Claims } from '../../queue/claims.ts';
import type { LeasedFanOut, LeasedWork } from './leased-work.ts';

/** Owned work of an event that is neither claimed nor being recorded. */
export interface IdleWork {
  readonly fanOuts: readonly LeasedFanOut[];
  /** Their devices. */
  readonly retries: readonly number[];
  readonly isMore: boolean;
}

/** Removes an event's owned work that is not claimed from the memory, up to `most` retries: the caller ends it. */
export type LetGo = (eventId: number, most: number) => IdleWork;

/** Lets go of nothing, in a process that owns no work. */
export const NOTHING_OWNED: LetGo = () => ({ fanOuts: [], retries: [], isMore: false });

/** `onGone`: called if work was removed. If the caller does not end it, it must be found again later. */
export function lettingGo(
  { leased, claims }: { readonly leased: LeasedWork; readonly claims: Claims },
  onGone: () => void,
): LetGo {
  return (eventId, most) => {
    const owned = leased.ofEvent(eventId);
    const fanOuts = owned.fanOuts.filter((fanOut) => !fanOut.isBeingRecorded && !claims.pages.isOut(fanOut));
    const idle = owned.retries.filter(({ deviceId }) => !claims.isClaimedRetry(eventId, deviceId));
    const retries = idle.slice(0, most).map(({ deviceId }) => deviceId);
    for (const fanOut of fanOuts) {
      claims.pages.forget(fanOut);
      leased.removeFanOut(fanOut);
    }
    for (const deviceId of retries) leased.removeRetry(eventId, deviceId);
    if (fanOuts.length + retries.length > 0) onGone();
    return { fanOuts, retries, isMore: idle.length > retries.length };
  };
}
