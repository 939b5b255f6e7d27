import { addressProblem, canonicalToken } from '../contract/device-token.ts';
import { displayNameProblem } from '../contract/names.ts';
import { newDeviceId } from '../public-id.ts';
import type { Platform, Route } from '../push.ts';
import type { NewDevice } from './calls.ts';
import type { Db } from './handlers.ts';
import { subscriptions } from './subscriptions.ts';

interface KnownDevice {
  readonly id: number;
  readonly public_id: string;
  readonly user_id: number;
  readonly status: 'active' | 'inactive';
  readonly route: Route;
}

export interface Registration {
  readonly userId: number;
  /** Checked by `newDeviceProblem`. */
  readonly device: NewDevice;
  /** Channels to listen on, beside those that the device already has. */
  readonly channelIds: readonly number[];
  readonly wallMs: number;
}
export interface Registered {
  readonly publicId: string;
  readonly created: boolean;
}

/**
 * Registers a device, or updates the one that has this platform and token. One that was inactive, or that now belongs to
 * another route, starts anew: its subscriptions get new numbers. A token that another user had registered is a new
 * device; the old one is deleted together with its subscriptions.
 */
export function registration(db: Db): (registration: Registration) => Registered {
  const byToken = db.prepare<{ platform: Platform; token: string }, KnownDevice>(`
    SELECT id, public_id, user_id, status, route FROM device WHERE platform = :platform AND token = :token
  `);
  const update = db
    .prepare<Record<string, string | number | null>, Route>(`
      UPDATE device SET name = coalesce(:name, name), app_version = coalesce(:appVersion, app_version),
        environment = :environment, token_kind = :tokenKind, status = 'active', inactive_reason = NULL,
        registered_at = :wallMs
      WHERE id = :id RETURNING route
    `)
    .pluck();
  const insert = db
    .prepare<Record<string, string | number | null>, number>(`
      INSERT INTO device (public_id, user_id, platform, environment, token_kind, token, name, app_version, registered_at)
      VALUES (:publicId, :userId, :platform, :environment, :tokenKind, :token, coalesce(:name, :defaultName), :appVersion,
        :wallMs)
      RETURNING id
    `)
    .pluck();
  const remove = db.prepare<[number]>('DELETE FROM device WHERE id = ?');
  const listens = subscriptions(db);

  function create(fields: ReturnType<typeof fieldsOf>, userId: number): KnownDevice['id'] {
    const id = insert.get({ ...fields, userId });
    if (id === undefined) throw new Error('an insert returns its row');
    return id;
  }

  return ({ userId, device, channelIds, wallMs }) => {
    const fields = fieldsOf(device, wallMs);
    const known = byToken.get({ platform: device.platform, token: fields.token });
    const same = known?.user_id === userId ? known : undefined;
    if (known !== undefined && same === undefined) remove.run(known.id);
    const id = same?.id ?? create(fields, userId);
    if (same !== undefined) {
      const route = update.get({ ...fields, id });
      if (same.status === 'inactive' || same.route !== route) listens.renew(id);
    }
    for (const channelId of channelIds) listens.add(id, channelId);
    return { publicId: same?.public_id ?? fields.publicId, created: same === undefined };
  };
}

/** The first thing wrong with a device to be registered, or null. Its values come from outside: types are not believed. */
export function newDeviceProblem(device: NewDevice): string | null {
  const { name, appVersion, subscribe = [] } = device;
  if (name !== undefined && typeof name !== 'string') return 'The name field must be a string.';
  if (appVersion !== undefined && typeof appVersion !== 'string') return 'The app_version field must be a string.';
  if (!Array.isArray(subscribe) || subscribe.some((slug) => typeof slug !== 'string')) {
    return 'The subscribe field must be an array of channel slugs.';
  }
  return addressProblem(device)?.message ?? (name === undefined ? null : displayNameProblem(name));
}

function fieldsOf(device: NewDevice, wallMs: number) {
  const ios = device.platform === 'ios';
  return {
    publicId: newDeviceId(),
    platform: device.platform,
    environment: ios ? (device.environment ?? 'production') : null,
    tokenKind: device.tokenKind ?? 'token',
    token: canonicalToken(device.platform, device.token),
    name: device.name ?? null,
    defaultName: ios ? 'iOS device' : 'Android device',
    appVersion: device.appVersion ?? null,
    wallMs,
  };
}
