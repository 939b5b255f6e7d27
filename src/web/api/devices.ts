import { ask } from './ask.ts';
import type { Place } from './channels.ts';
import type { Schema } from './client.ts';
import type { Answer } from './problem.ts';

export type Device = Schema<'Device'>;

export async function loadDevices(): Promise<Answer<readonly Device[]>> {
  const devices: Device[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await ask('get', '/v1/devices', { query: { limit: 100, after } });
    if (!page.ok) return page;
    devices.push(...page.data.devices);
    after = page.data.next;
  }
  return { ok: true, data: devices };
}

export type Mute = Pick<Device['subscriptions'][number], 'min_level' | 'muted_until'>;

export const NOTHING: Mute = { min_level: null, muted_until: null };
/** The API's time for an open-ended mute. */
export const FOR_GOOD = '9999-12-31T23:59:59Z';

export function muteOf({ subscriptions }: Device, { workspace, channel }: Omit<Place, 'device'>): Mute {
  return (
    subscriptions.find((subscription) => subscription.workspace === workspace && subscription.channel === channel) ??
    NOTHING
  );
}

export function setMute(path: Place, { min_level, muted_until }: Mute): Promise<Answer<unknown>> {
  const body = { min_level: min_level ?? undefined, muted_until: muted_until ?? undefined };
  return ask('put', '/v1/devices/{device}/subscriptions/{workspace}/{channel}', { path, body });
}

/** Returns the current settings: a past time mutes nothing. */
export function muteAt({ min_level, muted_until }: Mute, nowMs: number): Mute {
  const isMuted = muted_until !== null && Date.parse(muted_until) > nowMs;
  return { min_level, muted_until: isMuted ? muted_until : null };
}

export function isForGood(mutedUntil: string): boolean {
  return Date.parse(mutedUntil) >= Date.parse(FOR_GOOD);
}
