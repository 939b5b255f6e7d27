import type { Answer, Problem } from '../api/problem.ts';
import type { Kept } from './kept.ts';

export interface Device {
  readonly id: string;
  readonly status: 'active' | 'inactive';
}

/** `token`: the device token; null: no reports. */
export interface RegisteredDevice extends Device {
  readonly token: string | null;
}

/** A browser's subscription as in the API, and its server key. */
export interface Subscribed {
  readonly subscription: {
    readonly endpoint: string;
    readonly keys: { readonly p256dh: string; readonly auth: string };
  };
  /** base64url. */
  readonly key: string;
}

export interface Here {
  isAllowed(): boolean;
  current(): Promise<Subscribed | null>;
  subscribe(key: string): Promise<Answer<Subscribed>>;
  unsubscribe(): Promise<void>;
  hasToken(id: string): Promise<boolean>;
  /** Closes notifications and removes their data. */
  forgetShown(): Promise<void>;
}

export interface There {
  key(): Promise<Answer<string>>;
  /** Finds a device; null: unknown to the server, or another user's. */
  find(id: string): Promise<Answer<Device | null>>;
  register(subscribed: Subscribed, replaces?: string): Promise<Answer<RegisteredDevice>>;
  /** Registers the subscription again for another token. The name stays. */
  renewToken(subscribed: Subscribed): Promise<Answer<RegisteredDevice>>;
  readdress(id: string, subscribed: Subscribed): Promise<Answer<Device>>;
  remove(id: string): Promise<Answer<unknown>>;
}

interface Registered {
  readonly device: Device | RegisteredDevice;
  readonly subscribed: Subscribed;
}

export type CheckedIn =
  | ({ readonly kind: 'well' } & Registered)
  /** This browser is no longer a device: forbidden by settings, or another user's. */
  | { readonly kind: 'ended'; readonly why: 'switched-off' | 'other-person' }
  | { readonly kind: 'failed'; readonly problem: Problem };

/**
 * Checks in as a device, and repairs the subscription: browsers and push services lose them, mostly silently. Failures
 * are retried at the next start.
 */
export async function checkIn(kept: Kept, email: string, here: Here, there: There): Promise<CheckedIn> {
  if (kept.email !== email) {
    // Unsubscribing ends the other person's device. The new person has not asked for pushes.
    await here.unsubscribe();
    await here.forgetShown();
    return { kind: 'ended', why: 'other-person' };
  }
  if (!here.isAllowed()) {
    await here.unsubscribe();
    await there.remove(kept.id);
    return { kind: 'ended', why: 'switched-off' };
  }
  const checked = await repaired(kept.id, here, there);
  return checked.ok ? { kind: 'well', ...checked.data } : { kind: 'failed', problem: checked.problem };
}

async function repaired(id: string, here: Here, there: There): Promise<Answer<Registered>> {
  const key = await there.key();
  if (!key.ok) return key;
  const known = await there.find(id);
  if (!known.ok) return known;
  const before = await here.current();
  const isSound = before !== null && before.key === key.data && known.data?.status === 'active';
  const now = isSound ? { ok: true as const, data: before } : await renewed(before, key.data, here);
  if (!now.ok) return now;
  const reported = await (known.data === null
    ? there.register(now.data, before?.subscription.endpoint)
    : there.readdress(id, now.data));
  if (!reported.ok) return reported;
  const hasToken = 'token' in reported.data || (await here.hasToken(id));
  const renewedToken = hasToken ? reported : await there.renewToken(now.data);
  const device = renewedToken.ok ? renewedToken.data : reported.data;
  return { ok: true, data: { device, subscribed: now.data } };
}

async function renewed(before: Subscribed | null, key: string, here: Here): Promise<Answer<Subscribed>> {
  if (before !== null) await here.unsubscribe();
  return here.subscribe(key);
}
