import { LEVELS } from '../../../push.ts';
import { fromTimestamp, toTimestamp } from '../../../values/timestamp.ts';
import type { MuteRequest } from '../../calls/own-devices.ts';
import type { ChannelMute, Mute } from '../../records.ts';
import { heardLevelOf } from '../alerts/push.ts';

export interface StoredMute {
  readonly minLevel: number;
  readonly mutedUntilMs: number;
}
/** Condition of claims on subscriptions: level and moment are not muted. `onCall`: rings only for this person. */
interface UnmutedFor {
  readonly level: number;
  readonly wallMs: number;
  readonly onCall: number | null;
}

const [, ...ABOVE_LOWEST] = LEVELS;

type OrNull<T> = { readonly [Field in keyof T]: T[Field] | null };

/** A subscription as a word without blanks (`subscribedTo`). Slugs have no slash. */
export const SUBSCRIBED_TO = "channel.slug || '/' || subscription.min_level || '/' || subscription.muted_until";

export function storedMute({ minLevel, mutedUntil }: OrNull<MuteRequest>): StoredMute {
  return { minLevel: LEVELS.indexOf(minLevel ?? 'info'), mutedUntilMs: fromTimestamp(mutedUntil ?? '') ?? 0 };
}

export function isMuted({ min_level, muted_until }: Mute): boolean {
  return (min_level ?? muted_until) !== null;
}

export function subscribedTo(word: string): ChannelMute {
  const [channel = '', minLevel, mutedUntilMs] = word.split('/');
  const [level, untilMs] = [Number(minLevel), Number(mutedUntilMs)];
  return {
    channel,
    min_level: ABOVE_LOWEST[level - 1] ?? null,
    muted_until: untilMs === 0 ? null : toTimestamp(untilMs),
  };
}

export function unmutedFor(
  event: Parameters<typeof heardLevelOf>[0] & Pick<UnmutedFor, 'onCall'>,
  wallMs: number,
): UnmutedFor {
  return { level: LEVELS.indexOf(heardLevelOf(event)), wallMs, onCall: event.onCall };
}
