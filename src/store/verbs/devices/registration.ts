import { addressProblem, defaultNameOf, storedAddress } from '../../../contract/addresses.ts';
import { displayNameProblem, type FieldProblem, fieldProblem } from '../../../contract/names.ts';
import { newDeviceId } from '../../../contract/public-id.ts';
import type { Platform, Route } from '../../../push.ts';
import type { NewDevice } from '../../calls.ts';
import type { Db } from '../../sqlite/transaction.ts';
import { subscriptions } from './subscriptions.ts';

interface KnownDevice {
  readonly id: number;
  readonly public_id: string;
  readonly user_id: number;
  readonly status: 'active' | 'inactive';
  readonly route: Route;
}

const KNOWN = 'id, public_id, user_id, status, route';

export interface Registration {
  readonly userId: number;
  /** Checked by `newDeviceProblem`. */
  readonly device: NewDevice;
  /** Channels to listen on, beside those that the device already has. */
  readonly channelIds: readonly number[];
  readonly wallMs: number;
}
export interface Registered {
  readonly id: number;
  readonly publicId: string;
  readonly created: boolean;
}

/**
 * How devices get their addresses. A device that was inactive, or that now belongs to another route, starts anew: its
 * subscriptions get new numbers. Registering moves `registered_at`, which protects from what a provider said before.
 */
export interface Registrations {
  /**
   * Registers a device, or updates the one that has this platform and token. A token that another user had registered
   * is a new device; the old one is deleted together with its subscriptions, and what is queued for it is withdrawn.
   */
  register(registration: Registration): Registered;
  /** Gives a device another address. Any other device that had it is deleted as above. */
  readdress(device: { readonly id: number; readonly now: NewDevice; readonly wallMs: number }): void;
  /** Whether this user already has the device with this platform and token. */
  isKnown(userId: number, device: NewDevice): boolean;
}

export function registrations(db: Db): Registrations {
  const byId = db.prepare<[number], KnownDevice>(`SELECT ${KNOWN} FROM device WHERE id = ?`);
  const byToken = db.prepare<{ platform: Platform; token: string }, KnownDevice>(`
    SELECT ${KNOWN} FROM device WHERE platform = :platform AND token = :token
  `);
  const update = db
    .prepare<Record<string, string | number | null>, Route>(`
      UPDATE device SET name = coalesce(:name, name), app_version = coalesce(:appVersion, app_version),
        route = :route, environment = :environment, token_kind = :tokenKind, token = :token, keys = :keys, status = 'active', inactive_reason = NULL,
        registered_at = :wallMs, refused_at = NULL, refused_reason = NULL,
        accepted_at = CASE WHEN token = :token AND environment IS :environment THEN accepted_at END
      WHERE id = :id RETURNING route
    `)
    .pluck();
  // By place and without RETURNING: half the time, which an import has for each of its lines.
  const insert = db.prepare<(string | number | null)[]>(`
    INSERT INTO device (public_id, user_id, platform, route, environment, token_kind, token, keys, name, app_version, registered_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  `);
  const remove = db.prepare<[number]>('DELETE FROM device WHERE id = ?');
  const subscribed = subscriptions(db);

  function create(fields: ReturnType<typeof fieldsOf>, userId: number): KnownDevice['id'] {
    const { publicId, platform, route, environment, tokenKind, token, keys, appVersion, wallMs } = fields;
    const name = fields.name ?? defaultNameOf(platform);
    const row = [publicId, userId, platform, route, environment, tokenKind, token, keys, name, appVersion, wallMs];
    return Number(insert.run(...row).lastInsertRowid);
  }

  function holderOf(device: NewDevice): KnownDevice | undefined {
    const { platform, token } = storedAddress(device);
    return byToken.get({ platform, token });
  }

  function renew(known: KnownDevice, fields: ReturnType<typeof fieldsOf>): void {
    const route = update.get({ ...fields, id: known.id });
    if (known.status === 'inactive' || known.route !== route) subscribed.renew(known.id);
  }

  return {
    register({ userId, device, channelIds, wallMs }) {
      const fields = fieldsOf(device, wallMs);
      const holder = holderOf(device);
      const same = holder?.user_id === userId ? holder : undefined;
      if (holder !== undefined && same === undefined) remove.run(holder.id);
      const id = same?.id ?? create(fields, userId);
      if (same !== undefined) renew(same, fields);
      for (const channelId of channelIds) subscribed.add(id, channelId);
      return { id, publicId: same?.public_id ?? fields.publicId, created: same === undefined };
    },

    readdress({ id, now, wallMs }) {
      const holder = holderOf(now);
      if (holder !== undefined && holder.id !== id) remove.run(holder.id);
      const known = byId.get(id);
      if (known !== undefined) renew(known, fieldsOf(now, wallMs));
    },

    isKnown: (userId, device) => holderOf(device)?.user_id === userId,
  };
}

/**
 * The first thing wrong with a device to be registered, or null. Its values come from outside: types are not believed.
 */
export function newDeviceProblem(device: NewDevice): FieldProblem | null {
  const { name, appVersion, subscribe = [] } = device;
  if (name !== undefined && typeof name !== 'string') return fieldProblem('name', 'The name field must be a string.');
  if (appVersion !== undefined && typeof appVersion !== 'string') {
    return fieldProblem('app_version', 'The app_version field must be a string.');
  }
  if (!Array.isArray(subscribe) || subscribe.some((slug) => typeof slug !== 'string')) {
    return fieldProblem('subscribe', 'The subscribe field must be an array of channel slugs.');
  }
  return addressProblem(device) ?? (name === undefined ? null : fieldProblem('name', displayNameProblem(name)));
}

function fieldsOf(device: NewDevice, wallMs: number) {
  return {
    ...storedAddress(device),
    publicId: newDeviceId(wallMs),
    name: device.name ?? null,
    appVersion: device.appVersion ?? null,
    wallMs,
  };
}
