import type { Device } from '../../calls.ts';
import { isRefusal, type Refusal } from '../../calls.ts';
import { nameWorkspace, noDevice, notOfThem } from '../../refusals.ts';
import type { Db, Handlers } from '../../sqlite/transaction.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { DEVICE_FIELDS, type DeviceRow, shownDevice } from './devices.ts';
import { subscriptions } from './subscriptions.ts';

interface Owned {
  readonly id: number;
  readonly userId: number;
  readonly email: string;
}

/** What operators change of somebody's device. */
export function deviceChanges(db: Db): Handlers<'subscribeDevice' | 'unsubscribeDevice' | 'moveDevice'> {
  const owned = db.prepare<[string], Owned>(`
    SELECT device.id, user_id AS userId, user.email FROM device JOIN user ON user.id = device.user_id
    WHERE device.public_id = ?
  `);
  const workspacesOf = db.prepare<[number], WorkspaceRow>(`
    SELECT workspace.* FROM member JOIN workspace ON workspace.id = member.workspace_id
    WHERE member.user_id = ? ORDER BY workspace.slug
  `);
  const device = db.prepare<{ id: number; workspaceId: number | null }, DeviceRow>(
    `SELECT ${DEVICE_FIELDS} FROM device WHERE device.id = :id`,
  );
  const shareWorkspace = db
    .prepare<[number, number], 1>(`
      SELECT 1 FROM member JOIN member AS other ON other.workspace_id = member.workspace_id
      WHERE member.user_id = ? AND other.user_id = ? LIMIT 1
    `)
    .pluck();
  const endElsewhere = db.prepare<[number, number]>(`
    DELETE FROM subscription WHERE device_id = ? AND channel_id NOT IN (
      SELECT channel.id FROM channel JOIN member ON member.workspace_id = channel.workspace_id WHERE member.user_id = ?
    )
  `);
  const give = db.prepare<[number, number]>('UPDATE device SET user_id = ? WHERE id = ?');
  const find = lookups(db);
  const subscribed = subscriptions(db);

  /** A device, with the workspace of its owner that is meant: the only one, unless one is named. */
  function placeOf(id: string, slug: string | undefined): { device: Owned; workspace: WorkspaceRow } | Refusal {
    const found = owned.get(id);
    const workspaces = found === undefined ? [] : workspacesOf.all(found.userId);
    const [first, ...others] = workspaces;
    if (found === undefined || first === undefined) return noDevice(id);
    if (slug === undefined) {
      return others.length === 0 ? { device: found, workspace: first } : nameWorkspace(found.email, workspaces);
    }
    const workspace = find.workspace(slug);
    if (isRefusal(workspace)) return workspace;
    const member = find.member(workspace, found.email);
    return isRefusal(member) ? member : { device: found, workspace };
  }

  function read(id: number, workspaceId: number | null): Device {
    const row = device.get({ id, workspaceId });
    if (row === undefined) throw new Error('a device that was just found is there');
    return shownDevice(row);
  }

  /** On all of the channels, or, where one of them is not there, on none. */
  function change(
    { id, workspace: slug, channels }: { id: string; workspace?: string; channels: readonly string[] },
    act: (deviceId: number, channelId: number) => void,
  ) {
    const place = placeOf(id, slug);
    if (isRefusal(place)) return place;
    const { device, workspace } = place;
    const channelIds = find.channelIds(workspace, channels);
    if (isRefusal(channelIds)) return channelIds;
    for (const channelId of channelIds) act(device.id, channelId);
    return { workspace: workspace.slug, device: read(device.id, workspace.id) };
  }

  return {
    subscribeDevice: (args) => change(args, subscribed.add),
    unsubscribeDevice: (args) => change(args, subscribed.remove),

    moveDevice({ id: publicId, email }) {
      const found = owned.get(publicId);
      if (found === undefined || workspacesOf.get(found.userId) === undefined) return noDevice(publicId);
      const user = find.user(email);
      if (isRefusal(user)) return user;
      const { id, userId, email: from } = found;
      if (userId === user.id) return { device: { ...read(id, null), email: from }, from, ended: 0 };
      if (shareWorkspace.get(userId, user.id) === undefined)
        return notOfThem(user.email, from, workspacesOf.all(userId));
      const { changes: ended } = endElsewhere.run(id, user.id);
      give.run(user.id, id);
      // What was posted before was meant for somebody else.
      subscribed.renew(id);
      return { device: { ...read(id, null), email: user.email }, from, ended };
    },
  };
}
