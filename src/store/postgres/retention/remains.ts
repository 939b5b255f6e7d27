/**
 * The rows that deletions leave behind: triggers note them, and they are removed in small steps, also after a crash.
 * They are not found any more: the name is free again, and ids are never reused. Hourly counters stay: they are numbers
 * without texts.
 */
import { unreachable } from '../../../push.ts';
import type { Sql } from '../../sql.ts';
import { eventPurge, limited, type Purge } from './purges.ts';

interface Remains {
  readonly number: number;
  readonly kind: 'channel' | 'workspace' | 'member';
  readonly workspaceId: number;
  readonly id: number;
  readonly cursor: number;
}

/** Does up to about `limit` rows' worth of it, and returns how much that was. Less than `limit`: nothing remains. */
export function remainsPurge(sql: Sql): (limit: number) => Promise<number> {
  // The newest first: what is small is gone in its own step, however much a large deletion before it has left.
  const newest = sql.get<object, Remains>(
    'SELECT number, kind, workspace_id AS "workspaceId", id, cursor FROM remains ORDER BY number DESC LIMIT 1',
  );
  const forget = sql.run<{ number: number }>('DELETE FROM remains WHERE number = :number');
  const ofChannel = channelPurge(sql);
  const ofWorkspace = workspacePurge(sql);
  const ofMember = memberPurge(sql);

  function removeSome(remains: Remains, limit: number): Promise<number> {
    switch (remains.kind) {
      case 'channel':
        return ofChannel(remains.id, limit);
      case 'workspace':
        return ofWorkspace(remains.id, limit);
      case 'member':
        return ofMember(remains, limit);
      default:
        return unreachable(remains.kind);
    }
  }

  return async (limit) => {
    let removed = 0;
    while (removed < limit) {
      const remains = await newest({});
      if (remains === undefined) break;
      removed += await removeSome(remains, limit - removed);
      if (removed < limit) removed += await forget(remains);
    }
    return removed;
  };
}

/** Its events, newest first, each with its place in the queue; then up to where it was read, and its subscriptions. */
function channelPurge(sql: Sql): Purge {
  return inTurn([
    eventsOf(sql, 'channel_id'),
    rowsOf(sql, limited('read_mark', 'user_id, channel_id, level', 'channel_id = :id')),
    rowsOf(sql, limited('subscription', 'device_id, channel_id', 'channel_id = :id')),
  ]);
}

/** A workspace's rows without a channel: test pushes and usage. Its channels and members leave remains of their own. */
function workspacePurge(sql: Sql): Purge {
  return inTurn([
    eventsOf(sql, 'workspace_id'),
    rowsOf(sql, limited('usage_of_node', 'workspace_id, month, node_id', 'workspace_id = :id')),
  ]);
}

/** Events that one round removes. */
const EVENTS_AT_ONCE = 50;

function eventsOf(sql: Sql, column: 'channel_id' | 'workspace_id'): Purge {
  const newest = sql.values<{ id: number; limit: number }, number>(
    `SELECT id FROM event WHERE ${column} = :id ORDER BY id DESC LIMIT :limit`,
  );
  const purge = eventPurge(sql);

  return async (id, limit) => {
    let removed = 0;
    while (removed < limit) {
      const ids = await newest({ id, limit: Math.min(EVENTS_AT_ONCE, limit - removed) });
      if (ids.length === 0) break;
      removed += await purge(ids, limit - removed);
    }
    return removed;
  };
}

function rowsOf(sql: Sql, text: string): Purge {
  const remove = sql.run<{ id: number; limit: number }>(text);
  return async (id, limit) => remove({ id, limit });
}

/** One purge after the other, each only once the one before it has nothing left. */
function inTurn(purges: readonly Purge[]): Purge {
  return async (id, limit) => {
    let removed = 0;
    for (const next of purges) {
      if (removed < limit) removed += await next(id, limit - removed);
    }
    return removed;
  };
}

/** Removes a person without any other membership with all devices, else only the subscriptions in this workspace. */
function memberPurge(sql: Sql): (remains: Remains, limit: number) => Promise<number> {
  const isMember = sql.value<{ userId: number }, 1>('SELECT 1 FROM member WHERE user_id = :userId LIMIT 1');
  const removeUser = sql.run<{ userId: number }>('DELETE FROM person WHERE id = :userId');
  const removeDevices = sql.run<{ ids: readonly number[] }>(
    'DELETE FROM device WHERE id = ANY (CAST(:ids AS BIGINT[]))',
  );
  const nextDevices = sql.all<{ userId: number; after: number; limit: number }, { id: number; subscriptions: number }>(`
    SELECT id, (SELECT count(*) FROM subscription WHERE device_id = device.id) AS subscriptions
    FROM device WHERE user_id = :userId AND id > :after ORDER BY id LIMIT :limit
  `);
  const endSubscriptions = sql.run<{ ids: readonly number[]; workspaceId: number }>(`
    DELETE FROM subscription WHERE device_id = ANY (CAST(:ids AS BIGINT[]))
      AND (SELECT workspace_id FROM channel WHERE channel.id = channel_id) = :workspaceId
  `);
  const moveOn = sql.run<{ number: number; cursor: number }>(
    'UPDATE remains SET cursor = :cursor WHERE number = :number',
  );

  /** The next devices behind `after`, as many as are `limit` rows' worth with their subscriptions; one at least. */
  async function devicesWorth(userId: number, after: number, limit: number): Promise<{ ids: number[]; work: number }> {
    const ids: number[] = [];
    let work = 0;
    for (const { id, subscriptions } of await nextDevices({ userId, after, limit })) {
      if (work >= limit) break;
      ids.push(id);
      work += 1 + subscriptions;
    }
    return { ids, work };
  }

  async function removeWholly(userId: number, limit: number): Promise<number> {
    const { ids, work } = await devicesWorth(userId, 0, limit);
    await removeDevices({ ids });
    return work < limit ? work + (await removeUser({ userId })) : work;
  }

  return async ({ number, id: userId, workspaceId, cursor: after }, limit) => {
    if ((await isMember({ userId })) === undefined) return removeWholly(userId, limit);
    const { ids, work } = await devicesWorth(userId, after, limit);
    const last = ids.at(-1);
    if (last === undefined) return 0;
    await endSubscriptions({ ids, workspaceId });
    await moveOn({ number, cursor: last });
    return work;
  };
}
