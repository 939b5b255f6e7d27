import { displayNameProblem, fieldProblem } from '../../../contract/names.ts';
import type { Environment, Platform, TokenKind } from '../../../push.ts';
import { toTimestamp } from '../../../timestamp.ts';
import { isRefusal, type NewDevice } from '../../calls.ts';
import type { DeviceChange, OwnDevice } from '../../people-calls.ts';
import { badCursor, invalidField, nobody, tooManyDevices } from '../../refusals.ts';
import type { Db, Handlers, StoreSettings } from '../../sqlite/transaction.ts';
import { lookups } from '../lookups.ts';
import { pageOf } from '../pages.ts';
import { newDeviceProblem, registrations } from './registration.ts';

interface OwnDeviceRow {
  readonly id: number;
  readonly public_id: string;
  readonly platform: Platform;
  readonly environment: Environment | null;
  readonly token_kind: TokenKind;
  readonly token: string;
  readonly name: string;
  readonly app_version: string | null;
  readonly status: 'active' | 'inactive';
  readonly inactive_reason: string | null;
  readonly registered_at: number;
  /** A JSON array of workspaces and channels. */
  readonly subscriptions: string;
}

const OWN_DEVICES = `
  SELECT device.id, public_id, platform, environment, token_kind, token, device.name, app_version, device.status,
    inactive_reason, registered_at,
    (SELECT json_group_array(json_object('workspace', workspace.slug, 'channel', channel.slug)
       ORDER BY workspace.slug, channel.slug)
     FROM subscription
     JOIN channel ON channel.id = subscription.channel_id
     JOIN workspace ON workspace.id = channel.workspace_id
     JOIN member ON member.workspace_id = workspace.id AND member.user_id = device.user_id
     WHERE subscription.device_id = device.id) AS subscriptions
  FROM device
`;

/** What a person's app does with that person's devices. */
export function ownDevices(
  db: Db,
  { limits }: StoreSettings,
): Handlers<'registerDevice' | 'listOwnDevices' | 'updateDevice'> {
  const byId = db.prepare<[number], OwnDeviceRow>(`${OWN_DEVICES} WHERE device.id = ?`);
  const byPublicId = db.prepare<[string], OwnDeviceRow>(`${OWN_DEVICES} WHERE device.public_id = ?`);
  const page = db.prepare<{ userId: number; afterId: number }, OwnDeviceRow>(
    `${OWN_DEVICES} WHERE device.user_id = :userId AND device.id > :afterId ORDER BY device.id`,
  );
  const userExists = db.prepare<[number], 1>('SELECT 1 FROM user WHERE id = ?').pluck();
  const isFull = db
    .prepare<[number, number], 1>('SELECT 1 FROM device WHERE user_id = ? ORDER BY id LIMIT 1 OFFSET ? - 1')
    .pluck();
  const rename = db.prepare<{ id: number; name: string | null; appVersion: string | null }>(`
    UPDATE device SET name = coalesce(:name, name), app_version = coalesce(:appVersion, app_version) WHERE id = :id
  `);
  const find = lookups(db);
  const { register, readdress, isKnown } = registrations(db);

  function read(id: number): OwnDeviceRow {
    const row = byId.get(id);
    if (row === undefined) throw new Error('a device that was just found is there');
    return row;
  }

  return {
    registerDevice({ userId, ...device }, { wallMs }) {
      const problem = newDeviceProblem(device);
      if (problem !== null) return invalidField(problem);
      if (userExists.get(userId) === undefined) return nobody();
      if (isFull.get(userId, limits.devices) === 1 && !isKnown(userId, device)) return tooManyDevices(limits.devices);
      const { publicId, created } = register({ userId, device, channelIds: [], wallMs });
      const row = byPublicId.get(publicId);
      if (row === undefined) throw new Error('a device that was just registered is there');
      return { device: shown(row), created };
    },

    listOwnDevices({ userId, limit, after }) {
      const afterId = after === undefined ? 0 : find.deviceOf(userId, after);
      if (isRefusal(afterId)) return badCursor('after');
      const rows = page.iterate({ userId, afterId });
      const { entries, hasMore } = pageOf(rows, shown, ({ subscriptions }) => subscriptions.length, limit);
      return { devices: entries, next: hasMore ? (entries.at(-1)?.id ?? null) : null };
    },

    updateDevice({ userId, id: publicId, ...change }, { wallMs }) {
      const id = find.deviceOf(userId, publicId);
      if (isRefusal(id)) return id;
      const { token, name, appVersion } = change;
      if (token === undefined) {
        const problem = name === undefined ? null : fieldProblem('name', displayNameProblem(name));
        if (problem !== null) return invalidField(problem);
        rename.run({ id, name: name ?? null, appVersion: appVersion ?? null });
        return shown(read(id));
      }
      const now = addressOf(read(id), { ...change, token });
      const problem = newDeviceProblem(now);
      if (problem !== null) return invalidField(problem);
      readdress({ id, now, wallMs });
      return shown(read(id));
    },
  };
}

/** The device with its new token. An iOS device stays with its environment, an Android token is of the kind it was. */
function addressOf(row: OwnDeviceRow, { token, ...change }: DeviceChange & { readonly token: string }): NewDevice {
  const { environment = row.environment, tokenKind = row.token_kind, ...names } = change;
  return { ...names, platform: row.platform, token, tokenKind, ...(environment !== null && { environment }) };
}

function shown(row: OwnDeviceRow): OwnDevice {
  const { id: _, token: __, public_id, registered_at, subscriptions, ...fields } = row;
  return {
    id: public_id,
    ...fields,
    registered_at: toTimestamp(registered_at),
    subscriptions: JSON.parse(subscriptions) as OwnDevice['subscriptions'],
  };
}
