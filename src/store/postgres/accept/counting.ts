import { requestsOf } from '../../calls/serving.ts';
import type { AcceptArgs, KeyActor, RequestsLeft } from '../../calls.ts';
import { windowName } from '../shared-limits.ts';

/** `key`: must still be valid. `requests`: set if counted before. */
export interface Countable {
  readonly key?: KeyActor;
  readonly requests?: RequestsLeft;
  readonly args: Pick<AcceptArgs, 'perMinute'>;
}

/** The answer of `post_events` for a key: requests left before these, and when all are free. */
export interface CountedKey {
  readonly name: string;
  readonly free: number;
  readonly reset_ms: number;
}

/** A group's uncounted requests. */
interface Uses {
  /** Each key's name, number of requests, and limit per minute. */
  readonly keys: readonly { readonly name: string; readonly count: number; readonly most: number }[];
  /** Each request's place of its key, from 1; null: not counted now. */
  readonly places: readonly (number | null)[];
}

const WINDOW_MS = 60_000;

export function usesOf(asked: readonly Countable[]): Uses {
  const keys: { readonly name: string; count: number; most: number }[] = [];
  const placeOf = new Map<string, number>();
  const places = asked.map(({ key, args: { perMinute }, requests }) => {
    if (key === undefined || perMinute === undefined || requests !== undefined) return null;
    const place = placeOf.get(key.id) ?? keys.push({ name: windowName(requestsOf(key.id)), count: 0, most: perMinute });
    placeOf.set(key.id, place);
    const keyUses = keys[place - 1] as (typeof keys)[number];
    keyUses.count += 1;
    keyUses.most = Math.min(keyUses.most, perMinute);
    return place;
  });
  return { keys, places };
}

export function usesValues({ keys, places }: Uses): readonly unknown[] {
  if (keys.length === 0) return [null, null, null, null, null];
  return [
    keys.map(({ name }) => name),
    keys.map(({ count }) => count),
    keys.map(({ most }) => most),
    keys.map(() => WINDOW_MS),
    places,
  ];
}

/** Returns each key's remaining requests; undefined: not counted. */
export function requestsLeft(
  asked: readonly Countable[],
  { keys, places }: Uses,
  counted: readonly CountedKey[],
): readonly (RequestsLeft | undefined)[] {
  const left = new Map(counted.map((row) => [row.name, { ...row }]));
  return asked.map(({ requests }, nth) => {
    const countedKey = left.get(keys[(places[nth] ?? 0) - 1]?.name ?? '');
    if (countedKey === undefined) return requests;
    countedKey.free -= 1;
    return { remaining: Math.max(0, countedKey.free), resetAfterMs: countedKey.reset_ms };
  });
}
