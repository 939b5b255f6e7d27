import type { AddressSettings, StoredAddress } from '../../../contract/addresses/address.ts';
import { addressProblem, defaultNameOf, storedAddress } from '../../../contract/addresses.ts';
import { type FieldProblem, fieldProblem } from '../../../contract/details.ts';
import { displayName, displayNameProblem } from '../../../contract/names.ts';
import { newDeviceId } from '../../../contract/public-id.ts';
import type { NewDevice } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import { renewals, subscriptions } from './subscriptions.ts';

interface KnownDevice {
  readonly id: number;
  readonly public_id: string;
  readonly user_id: number;
  readonly generation: number;
}

const KNOWN = 'id, public_id, user_id, generation';

/**
 * A device with a new address, or active again, is no longer *not showing*: earlier pushes say nothing. Registering the
 * same address, as at every launch, changes nothing.
 */
const START_OVER = `
  UPDATE reporter SET missed = 0, missed_from = 0, silent_at = NULL,
    shown_event = (SELECT coalesce(max(id), 0) + 1 FROM event)
  WHERE device_id = :id AND shown_at IS NOT NULL AND EXISTS (
    SELECT 1 FROM device WHERE id = :id AND (status = 'inactive' OR token <> :token
      OR environment IS DISTINCT FROM :environment OR keys IS DISTINCT FROM :keys)
  )`;

export interface Registration {
  readonly userId: number;
  /** Checked by `newDeviceProblem`. */
  readonly device: NewDevice;
  readonly channelIds: readonly number[];
  readonly wallMs: number;
}
interface Registered {
  readonly id: number;
  readonly publicId: string;
  readonly created: boolean;
}

type Fields = ReturnType<typeof fieldsOf>;
export type DeviceRow = ReturnType<typeof newDeviceRow>;

/**
 * Gives devices their addresses. Inactivity or a changed route renews subscriptions. Registering moves `registered_at`:
 * a provider's earlier answers do not count.
 */
interface Registrations {
  /**
   * Registers a device, or updates the one with this platform and token. Another user's device with the token is
   * deleted with subscriptions and queued pushes. `renewedAtOnce`: subscriptions renewed by this call.
   */
  register(registration: Registration, renewedAtOnce?: number): Promise<Registered>;
  /** Gives a device another address. Another device that had it is deleted as above. */
  readdress(device: { readonly id: number; readonly now: NewDevice; readonly wallMs: number }): Promise<void>;
  /** Returns this user's device with the stored platform and token. */
  own(userId: number, at: Pick<StoredAddress, 'platform' | 'token'>): Promise<number | undefined>;
}

export function registrations(sql: Sql): Registrations {
  const byId = sql.get<{ id: number }, KnownDevice>(`SELECT ${KNOWN} FROM device WHERE id = :id`);
  const byToken = sql.get<Pick<StoredAddress, 'platform' | 'token'>, KnownDevice>(`
    SELECT ${KNOWN} FROM device WHERE platform = :platform AND token = :token
  `);
  const update = sql.value<Fields & { id: number }, number>(`
    UPDATE device SET name = coalesce(:name, name), app_version = coalesce(:appVersion, app_version),
      generation = generation + CASE WHEN status = 'inactive' OR route <> :route THEN 1 ELSE 0 END,
      route = :route, environment = :environment, token_kind = :tokenKind, token = :token, keys = :keys,
      status = 'active', inactive_reason = NULL, inactive_at = NULL, registered_at = :wallMs, refused_at = NULL, refused_reason = NULL,
      accepted_at = CASE WHEN token = :token AND environment IS NOT DISTINCT FROM :environment
        AND keys IS NOT DISTINCT FROM :keys THEN accepted_at END
    WHERE id = :id RETURNING generation
  `);
  const startOver = sql.run<Fields & { id: number }>(START_OVER);
  const insert = sql.insert<DeviceRow>(`
    INSERT INTO device (public_id, user_id, platform, route, environment, token_kind, token, keys, name, app_version,
      registered_at)
    VALUES (:publicId, :userId, :platform, :route, :environment, :tokenKind, :token, :keys, :name, :appVersion,
      :wallMs)
  `);
  const remove = sql.run<{ id: number }>('DELETE FROM device WHERE id = :id');
  const subscribed = subscriptions(sql);
  const renewal = renewals(sql);

  async function renew(known: KnownDevice, fields: Fields, atOnce?: number): Promise<void> {
    await startOver({ ...fields, id: known.id });
    const generation = await update({ ...fields, id: known.id });
    if (generation !== known.generation) await renewal.begin(known.id, atOnce);
  }

  return {
    async register({ userId, device, channelIds, wallMs }, renewedAtOnce) {
      const fields = newDeviceRow({ userId, device, wallMs });
      const holder = await byToken(fields);
      const same = holder?.user_id === userId ? holder : undefined;
      if (holder !== undefined && same === undefined) await remove({ id: holder.id });
      const id = same?.id ?? (await insert(fields));
      if (same !== undefined) await renew(same, fieldsOf(device, wallMs), renewedAtOnce);
      for (const channelId of channelIds) await subscribed.add(id, channelId);
      return { id, publicId: same?.public_id ?? fields.publicId, created: same === undefined };
    },

    async readdress({ id, now, wallMs }) {
      const fields = fieldsOf(now, wallMs);
      const holder = await byToken(fields);
      if (holder !== undefined && holder.id !== id) await remove({ id: holder.id });
      const known = await byId({ id });
      if (known !== undefined) await renew(known, fields);
    },

    async own(userId, at) {
      const holder = await byToken(at);
      return holder?.user_id === userId ? holder.id : undefined;
    },
  };
}

/** Returns the first problem of a device to register, or null. Values are untrusted, types included. */
export function newDeviceProblem(device: NewDevice, addresses: AddressSettings): FieldProblem | null {
  const { name, appVersion, subscribe = [] } = device;
  if (name !== undefined && typeof name !== 'string') return fieldProblem('name', 'type_string');
  if (appVersion !== undefined && typeof appVersion !== 'string') {
    return fieldProblem('app_version', 'type_string');
  }
  if (!Array.isArray(subscribe) || subscribe.some((slug) => typeof slug !== 'string')) {
    return fieldProblem('subscribe', 'channel_slugs');
  }
  return addressProblem(device, addresses) ?? (name === undefined ? null : displayNameProblem(name));
}

export function newDeviceRow({ userId, device, wallMs }: Omit<Registration, 'channelIds'>) {
  const fields = fieldsOf(device, wallMs);
  return { ...fields, name: fields.name ?? defaultNameOf(fields.platform), userId };
}

function fieldsOf(device: NewDevice, wallMs: number) {
  return {
    ...storedAddress(device),
    publicId: newDeviceId(wallMs),
    name: device.name === undefined ? null : displayName(device.name),
    appVersion: device.appVersion ?? null,
    wallMs,
  };
}
