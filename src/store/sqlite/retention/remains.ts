/**
 * The rows that deletions leave behind: triggers note them, and they are removed in small steps, also after a crash.
 * They are not found any more: the name is free again, and ids are never reused. Hourly counters stay: they are numbers
 * without texts.
 */

import { ROUTES_IN_SQL } from '../../sql.ts';
import type { Db } from '../transaction.ts';
import { each, eventPurge, inTurn, type Purge, purge } from './purges.ts';

interface Remains {
  readonly number: number;
  readonly kind: 'channel' | 'workspace' | 'member';
  readonly workspaceId: number;
  readonly id: number;
  readonly cursor: number;
}

/** Does up to about `limit` rows' worth of it, and returns how much that was. Less than `limit`: nothing remains. */
export function remainsPurge(db: Db): (limit: number) => number {
  // The newest first: what is small is gone in its own step, however much a large deletion before it has left.
  const newest = db.prepare<[], Remains>(
    'SELECT number, kind, workspace_id AS workspaceId, id, cursor FROM remains ORDER BY number DESC LIMIT 1',
  );
  const forget = db.prepare<[number]>('DELETE FROM remains WHERE number = ?');
  const ofChannel = channelPurge(db);
  const ofWorkspace = workspacePurge(db);
  const ofMember = memberPurge(db);

  function removeSome(remains: Remains, limit: number): number {
    switch (remains.kind) {
      case 'channel':
        return ofChannel(remains.id, limit);
      case 'workspace':
        return ofWorkspace(remains.id, limit);
      case 'member':
        return ofMember(remains, limit);
    }
  }

  return (limit) => {
    let removed = 0;
    while (removed < limit) {
      const remains = newest.get();
      if (remains === undefined) break;
      removed += removeSome(remains, limit - removed);
      if (removed < limit) removed += forget.run(remains.number).changes;
    }
    return removed;
  };
}

/** Its events, newest first, each with its place in the queue; then up to where it was read, and its subscriptions. */
function channelPurge(db: Db): Purge {
  const eventIds = db
    .prepare<[number, number], number>('SELECT id FROM event WHERE channel_id = ? ORDER BY id DESC LIMIT ?')
    .pluck();
  const subscriptions = db.prepare<[number, number]>('DELETE FROM subscription WHERE channel_id = ? LIMIT ?');

  const readMarks = db.prepare<[number, number]>('DELETE FROM read_mark WHERE channel_id = ? LIMIT ?');

  return inTurn([each(eventIds, queuedEventPurge(db)), purge(readMarks), purge(subscriptions)]);
}

/** A workspace's rows without a channel: test pushes and usage. Its channels and members leave remains of their own. */
function workspacePurge(db: Db): Purge {
  const eventIds = db
    .prepare<[number, number], number>('SELECT id FROM event WHERE workspace_id = ? ORDER BY id DESC LIMIT ?')
    .pluck();
  const usage = db.prepare<[number, number]>('DELETE FROM usage WHERE workspace_id = ? LIMIT ?');

  return inTurn([each(eventIds, queuedEventPurge(db)), purge(usage)]);
}

function queuedEventPurge(db: Db): Purge {
  const fanOuts = db.prepare<[number, number]>(`
    DELETE FROM fan_out
    WHERE route IN (${ROUTES_IN_SQL}) AND lane IN ('urgent', 'standard')
      AND (workspace_id, event_id) = (SELECT workspace_id, id FROM event WHERE id = ?)
    LIMIT ?
  `);

  return inTurn([purge(fanOuts), eventPurge(db)]);
}

/** Removes a person without any other membership with all devices, else only the subscriptions in this workspace. */
function memberPurge(db: Db): (remains: Remains, limit: number) => number {
  const isMember = db.prepare<[number], 1>('SELECT 1 FROM member WHERE user_id = ? LIMIT 1').pluck();
  const removeUser = db.prepare<[number]>('DELETE FROM person WHERE id = ?');
  const removeDevice = db.prepare<[number]>('DELETE FROM device WHERE id = ?');
  const subscriptions = db.prepare<[number], number>('SELECT count(*) FROM subscription WHERE device_id = ?').pluck();
  const nextDeviceIds = db
    .prepare<[number, number, number], number>('SELECT id FROM device WHERE user_id = ? AND id > ? ORDER BY id LIMIT ?')
    .pluck();
  const endSubscriptions = db.prepare<[number, number]>(`
    DELETE FROM subscription
    WHERE device_id = ? AND (SELECT workspace_id FROM channel WHERE channel.id = channel_id) = ?
  `);
  const moveOn = db.prepare<[number, number]>('UPDATE remains SET cursor = ? WHERE number = ?');

  /** The devices one by one, as their subscriptions go with them. */
  function removeWholly(userId: number, limit: number): number {
    let work = 0;
    for (const deviceId of nextDeviceIds.all(userId, 0, limit)) {
      if (work >= limit) return work;
      work += 1 + (subscriptions.get(deviceId) ?? 0);
      removeDevice.run(deviceId);
    }
    return work < limit ? work + removeUser.run(userId).changes : work;
  }

  return ({ number, id: userId, workspaceId, cursor }, limit) => {
    if (isMember.get(userId) === undefined) return removeWholly(userId, limit);
    let work = 0;
    for (const deviceId of nextDeviceIds.all(userId, cursor, limit)) {
      if (work >= limit) break;
      work += 1 + endSubscriptions.run(deviceId, workspaceId).changes;
      moveOn.run(deviceId, number);
    }
    return work;
  };
}
