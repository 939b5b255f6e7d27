import type { Config } from '../../config/config.ts';
import { errorDetail } from '../../contract/details.ts';
import type { ApiErrorCode } from '../../contract/errors.ts';
import type { Clock } from '../../process/clock.ts';
import { requestsOf } from '../../store/calls/serving.ts';
import { type KeyRecord, type RequestsLeft, StoreUnavailable } from '../../store/calls.ts';
import type { ClientAddresses } from '../client-address.ts';
import { ApiError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import {
  type Admission,
  type CountingStore,
  countUses,
  MINUTE_MS,
  RollingWindows,
  SharedLimit,
} from './rolling-windows.ts';

/** Counts a key's request, or throws `rate_limited`. The response always shows the limit. */
export type KeyThrottle = (context: RequestSeen, key: KeyRecord) => CountedRequest;

interface RequestSeen {
  readonly state: Pick<Context['state'], 'headers'>;
}

/**
 * Runs `work`, which the store counts. A request that fails before is counted there, too. Work that the store does not
 * count must end the request itself.
 */
export async function counted<T>(request: CountedRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) await request.end();
    throw error;
  }
}

/** An admitted request. A shared store counts it again. */
export interface CountedRequest {
  readonly perMinute: number;
  /** Shows the remaining requests, as the store counts them for all processes. */
  left(left: RequestsLeft): void;
  showLimit(limit: LimitState): void;
  /** Takes back the count of a request that the store has refused. */
  takeBack(): void;
  /** Ends the request. Counts it in the store if that has not happened. */
  end(): Promise<void>;
}

/** Counts an address, or throws `connection_throttled`. Both methods share the limit. */
export interface AddressThrottle {
  request(context: Context): Promise<void>;
  /** Counts a key of another listener before the look-up. Returns how to undo that. */
  key(remoteAddress: string): Promise<{ takeBack(): Promise<void> }>;
}

/** Counts a person's request, or throws `test_throttled`. */
export type PersonThrottle = (context: Context, userId: number) => Promise<void>;
/** Counts a ping, or throws `rate_limited`. */
export type PingThrottle = (uuid: string) => Promise<void>;
/**
 * Counts a person's change, or throws `change_throttled`, so that no member fills the disk. Read marks count for the
 * minute only, as there are no more than events.
 */
export type ChangeThrottle = (userId: number, isMark: boolean) => Promise<void>;

interface Shared {
  readonly store: CountingStore;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;

/** Addresses counted at a time; those with fewest requests are dropped. */
const MAX_ADDRESSES = 20_000;

/** `policy`: name in headers. Keys may have their own limit. */
export function keyThrottle(policy: string, perMinute: number, { store, clock }: Shared): KeyThrottle {
  const windows = new RollingWindows();
  return (context, key) => {
    const limit = key.burstPerMinute ?? perMinute;
    const nowMs = clock.steadyMs();
    requireAdmitted(context, policy, windows.admit(key.id, limit, nowMs), 'rate_limited');
    let isToStore = true;
    return {
      perMinute: limit,
      left(left) {
        isToStore = false;
        showLimit(context, { policy, limit, ...left });
      },
      showLimit: (another) => showLimit(context, another),
      async end() {
        const use = { name: requestsOf(key.id), most: limit, windowMs: MINUTE_MS };
        if (isToStore) await store.countUses({ uses: [use] }).catch(() => null);
      },
      takeBack: () => windows.takeBack(key.id, nowMs),
    };
  };
}

export function addressThrottle(
  policy: string,
  most: number,
  addresses: ClientAddresses,
  { store, clock }: Shared,
): AddressThrottle {
  const limit = new SharedLimit(policy, { maxNames: MAX_ADDRESSES });
  const count = (name: string) => countUses(store, [{ of: limit, name, most }], clock.steadyMs());
  return {
    async request(context) {
      requireAdmitted(context, policy, await count(addresses.networkOf(context.req)), 'connection_throttled');
    },
    async key(remoteAddress) {
      const admission = await count(addresses.peerNetworksOf({ remoteAddress }).at(-1) ?? remoteAddress);
      const { admitted, resetAfterMs: retryAfterMs } = admission;
      if (!admitted) throw new ApiError('connection_throttled', { detail: errorDetail('wrong_keys'), retryAfterMs });
      return admission;
    },
  };
}

export function personThrottle(policy: string, most: number, { store, clock }: Shared): PersonThrottle {
  const limit = new SharedLimit(policy);
  return async (context, userId) => {
    const use = { of: limit, name: String(userId), most };
    requireAdmitted(context, policy, await countUses(store, [use], clock.steadyMs()), 'test_throttled');
  };
}

export function pingThrottle(most: number, { store, clock }: Shared): PingThrottle {
  const limit = new SharedLimit('pings');
  return async (uuid) => {
    const { admitted, resetAfterMs } = await countUses(store, [{ of: limit, name: uuid, most }], clock.steadyMs());
    if (admitted) return;
    const detail = errorDetail('pinged_too_often', { most });
    throw new ApiError('rate_limited', { detail, retryAfterMs: resetAfterMs });
  };
}

export function changeThrottle(
  { changesPerMinute, changesPerDay }: Pick<Config['limits'], 'changesPerMinute' | 'changesPerDay'>,
  { store, clock }: Shared,
): ChangeThrottle {
  const minute = new SharedLimit('changes in a minute');
  const day = new SharedLimit('changes in a day', { windowMs: DAY_MS });
  return async (userId, isMark) => {
    const name = String(userId);
    const ofMinute = { of: minute, name, most: changesPerMinute };
    const uses = isMark ? [ofMinute] : [ofMinute, { of: day, name, most: changesPerDay }];
    const { admitted, resetAfterMs } = await countUses(store, uses, clock.steadyMs());
    if (!admitted) throw new ApiError('change_throttled', { retryAfterMs: resetAfterMs });
  };
}

function requireAdmitted(context: RequestSeen, policy: string, admission: Admission, refusal: ApiErrorCode): void {
  showLimit(context, { policy, ...admission });
  if (!admission.admitted) throw new ApiError(refusal, { retryAfterMs: admission.resetAfterMs });
}

/** A named limit. `windowMs`: default a minute. */
export interface LimitState extends Omit<Admission, 'admitted'> {
  readonly policy: string;
  readonly windowMs?: number;
}

/**
 * Shows this limit in the response, beside others. Syntax of draft-ietf-httpapi-ratelimit-headers: quota and window;
 * what remains, and when there will be more.
 */
export function showLimit(
  { state: { headers } }: RequestSeen,
  { policy, limit, windowMs = MINUTE_MS, remaining, resetAfterMs }: LimitState,
): void {
  tellItem(headers, 'RateLimit-Policy', `"${policy}"`, `;q=${limit};w=${windowMs / 1000}`);
  tellItem(headers, 'RateLimit', `"${policy}"`, `;r=${remaining};t=${Math.ceil(resetAfterMs / 1000)}`);
}

/** Replaces the item of this name in a list, or appends it. */
function tellItem(headers: string[], field: string, name: string, parameters: string): void {
  const at = headers.indexOf(field);
  if (at === -1) headers.push(field, name + parameters);
  else {
    const others = (headers[at + 1] ?? '').split(', ').filter((item) => !item.startsWith(`${name};`));
    headers[at + 1] = [...others, name + parameters].join(', ');
  }
}
