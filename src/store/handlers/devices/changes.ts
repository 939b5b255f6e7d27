import { channelsProblem } from '../../../contract/names.ts';
import { type Actor, type Device, isRefusal, type Refusal } from '../../calls.ts';
import { forbidden, invalidField, nameWorkspace, noDevice, notOfThem } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { roleRules } from '../people/role-rules.ts';
import { IS_WORKSPACE_THERE } from '../people/vouchers.ts';
import { DEVICE_FIELDS, type DeviceRow, shownDevice } from './devices.ts';
import { renewals, subscriptions } from './subscriptions.ts';

interface Owned {
  readonly id: number;
  readonly userId: number;
  readonly email: string;
}

export function deviceChanges(sql: Sql) {
  const owned = sql.get<{ id: string }, Owned>(`
    SELECT device.id, user_id AS "userId", person.email FROM device JOIN person ON person.id = device.user_id
    WHERE device.public_id = :id
  `);
  const workspacesOf = sql.all<{ userId: number }, WorkspaceRow>(`
    SELECT workspace.* FROM member JOIN workspace ON workspace.id = member.workspace_id
    WHERE member.user_id = :userId ORDER BY workspace.slug
  `);
  const device = sql.get<{ id: number; workspaceId: number | null }, DeviceRow>(
    `SELECT ${DEVICE_FIELDS} FROM device WHERE device.id = :id`,
  );
  const shareWorkspace = sql.value<{ userId: number; otherId: number }, 1>(`
    SELECT 1 FROM member JOIN member AS other ON other.workspace_id = member.workspace_id
    WHERE member.user_id = :userId AND other.user_id = :otherId AND ${IS_WORKSPACE_THERE} LIMIT 1
  `);
  const countSubscriptions = sql.value<{ id: number }, number>(
    'SELECT count(*) FROM subscription WHERE device_id = CAST(:id AS BIGINT)',
  );
  const give = sql.run<{ id: number; userId: number }>(
    'UPDATE device SET user_id = :userId, generation = generation + 1 WHERE id = :id',
  );
  const forgetReports = sql.run<{ id: number }>('DELETE FROM reporter WHERE device_id = :id');
  const find = lookups(sql);
  const subscribed = subscriptions(sql);
  const renewal = renewals(sql);
  const bans = roleRules(sql);

  /** Returns a device with its owner's workspace: the only one, unless named. */
  async function placeOf(
    id: string,
    slug: string | undefined,
  ): Promise<{ device: Owned; workspace: WorkspaceRow } | Refusal> {
    const found = await owned({ id });
    const workspaces = found === undefined ? [] : await workspacesOf({ userId: found.userId });
    const [first, ...otherWorkspaces] = workspaces;
    if (found === undefined || first === undefined) return noDevice(id);
    if (slug === undefined) {
      return otherWorkspaces.length === 0
        ? { device: found, workspace: first }
        : nameWorkspace(found.email, workspaces);
    }
    const workspace = await find.workspace(slug);
    if (isRefusal(workspace)) return workspace;
    const member = await find.member(workspace, found.email);
    return isRefusal(member) ? member : { device: found, workspace };
  }

  async function read(id: number, workspaceId: number | null): Promise<Device> {
    const row = await device({ id, workspaceId });
    if (row === undefined) throw new Error('a device that was just found is there');
    return shownDevice(row);
  }

  /** Changes all channels, or none if one is missing. */
  async function change(
    { id, workspace: slug, channels }: { id: string; workspace?: string; channels: readonly string[] },
    act: (deviceId: number, channelId: number) => Promise<void>,
    actor: Actor | undefined,
  ) {
    const problem = channelsProblem('channels', channels);
    if (problem !== null) return invalidField(problem);
    const place = await placeOf(id, slug);
    if (isRefusal(place)) return place;
    const { device, workspace } = place;
    const asked = { workspaceId: workspace.id, userId: device.userId, actor };
    if ((await bans.vouchingFor(asked)) === null) return forbidden('owners_device');
    const channelIds = await find.channelIds(workspace, channels);
    if (isRefusal(channelIds)) return channelIds;
    for (const channelId of channelIds) await act(device.id, channelId);
    return { workspace: workspace.slug, device: await read(device.id, workspace.id) };
  }

  return {
    subscribeDevice: (args, _, actor) => change(args, subscribed.add, actor),
    unsubscribeDevice: (args, _, actor) => change(args, subscribed.remove, actor),

    async moveDevice({ id: publicId, email }) {
      const found = await owned({ id: publicId });
      const workspaces = found === undefined ? [] : await workspacesOf({ userId: found.userId });
      if (found === undefined || workspaces.length === 0) return noDevice(publicId);
      const user = await find.user(email);
      if (isRefusal(user)) return user;
      const { id, userId, email: from } = found;
      if (userId === user.id) return { device: { ...(await read(id, null)), email: from }, from, ended: 0 };
      if ((await shareWorkspace({ userId, otherId: user.id })) === undefined)
        return notOfThem(user.email, from, workspaces);
      const before = (await countSubscriptions({ id })) ?? 0;
      // Earlier events were the former owner's, and so are the device token and what it reported.
      await give({ id, userId: user.id });
      await forgetReports({ id });
      await renewal.begin(id);
      const moved = await read(id, null);
      return { device: { ...moved, email: user.email }, from, ended: before - moved.channels.length };
    },

    async continueDevice({ id: publicId }) {
      const found = await owned({ id: publicId });
      return { done: found === undefined || (await renewal.goOn(found.id)) };
    },
  } satisfies SomeHandlers;
}
