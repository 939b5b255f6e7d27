/**
 * Removes rows that deletions leave. Triggers note them in `cleanup_job`; small steps remove them, even after a crash.
 * Nothing finds them: names are free, ids never reused. Hourly counters stay, without texts. Alerts end first, as the
 * channel's deletion decided.
 */
import { unreachable } from '../../../push.ts';
import { ID_LIST, idList, type Sql } from '../../sql.ts';
import { alertMarks } from '../alerts/marks.ts';
import { ROWS_OF_RENEWAL, renewals } from '../devices/subscriptions.ts';
import { signOuts } from '../people/sign-outs.ts';
import { EVENTS_AT_ONCE, eventPurge, inTurn, type Purge, type RemovalDeps } from './purges.ts';

interface CleanupJob {
  readonly number: number;
  readonly kind: 'channel' | 'workspace' | 'member' | 'device' | 'rota';
  readonly workspaceId: number;
  readonly id: number;
  readonly cursor: number;
}

/** Removes up to about `limit` rows; returns how many. Fewer: nothing is left. */
export function cleanupJobs(sql: Sql, deps: RemovalDeps): (limit: number) => Promise<number> {
  // Newest first: small deletions finish in their step despite a large earlier one.
  const newest = sql.get<object, CleanupJob>(
    'SELECT number, kind, workspace_id AS "workspaceId", id, cursor FROM cleanup_job ORDER BY number DESC LIMIT 1',
  );
  const end = sql.run<{ number: number }>('DELETE FROM cleanup_job WHERE number = :number');
  const ofChannel = channelPurge(sql, deps);
  const ofWorkspace = workspacePurge(sql, deps);
  const ofMember = memberPurge(sql, deps);
  const ofDevice = devicePurge(sql, deps);
  const ofRota = inTurn([
    rowsOf(sql, deps.limited('rota_override', 'id', 'rota_id = :id')),
    rowsOf(sql, deps.limited('on_call_shift', 'rota_id, from_at', 'rota_id = :id')),
  ]);
  const marks = alertMarks(sql);

  async function workOff(job: CleanupJob, limit: number): Promise<number> {
    switch (job.kind) {
      case 'channel':
        return ofChannel(job.id, limit);
      case 'workspace':
        return ofWorkspace(job.id, limit);
      case 'member':
        return ofMember(job, limit);
      case 'device':
        return ofDevice(job, limit);
      case 'rota':
        return ofRota(job.id, limit);
      default:
        return unreachable(job.kind);
    }
  }

  return async (limit) => {
    let removed = await marks.follow(limit);
    while (removed < limit) {
      const job = await newest({});
      if (job === undefined) break;
      removed += await workOff(job, limit - removed);
      if (removed < limit) removed += await end(job);
    }
    return removed;
  };
}

/**
 * Removes a channel's heartbeats, maintenance windows and bindings. Then removes its events, newest first, each with
 * its place in the queue; then read marks and subscriptions.
 */
function channelPurge(sql: Sql, deps: RemovalDeps): Purge {
  return inTurn([
    rowsOf(sql, deps.limited('heartbeat', 'id', 'channel_id = :id')),
    rowsOf(sql, deps.limited('maintenance', 'id', 'channel_id = :id')),
    rowsOf(sql, deps.limited('key_channel', 'key_id, channel_id', 'channel_id = :id')),
    rowsOf(sql, deps.limited('ended_group', 'channel_id, name', 'channel_id = :id')),
    eventsOf(sql, deps, 'channel_id'),
    rowsOf(sql, deps.limited('read_mark', 'user_id, channel_id, level', 'channel_id = :id')),
    rowsOf(sql, deps.limited('subscription', 'device_id, channel_id', 'channel_id = :id')),
  ]);
}

/** A member or rota, and a job. */
const [ROWS_OF_MEMBER, ROWS_OF_ROTA] = [2, 2];
/** Sessions whose rights in a workspace are removed together: each has a few. */
const SESSIONS_TOGETHER = 20;
/** A channel, a job, its `insisting` row, and its audience per route. */
const ROWS_OF_CHANNEL = 8;

/**
 * Removes a workspace, its members first, as they may be wanted elsewhere. Channels, rotas and members leave jobs of
 * their own.
 */
function workspacePurge(sql: Sql, deps: RemovalDeps): Purge {
  const [usage, key] = deps.usage;
  const rows = (table: string, columns: string, rowsOfEach = 1, condition = 'workspace_id = :id') =>
    rowsOf(sql, deps.limited(table, columns, condition), rowsOfEach);
  return inTurn([
    rows('member', 'workspace_id, user_id', ROWS_OF_MEMBER),
    rows('key_channel', 'key_id, channel_id', 1, 'key_id IN (SELECT id FROM api_key WHERE workspace_id = :id)'),
    rows('api_key', 'id'),
    rows('webhook', 'id'),
    rows('heartbeat_event', 'id'),
    rows('heartbeat', 'id'),
    rows('rota', 'id', ROWS_OF_ROTA),
    rows('channel', 'id', ROWS_OF_CHANNEL),
    eventsOf(sql, deps, 'workspace_id'),
    rows(usage, key),
    rows('webhook_message', 'id'),
  ]);
}

function eventsOf(sql: Sql, deps: RemovalDeps, column: 'channel_id' | 'workspace_id'): Purge {
  const newest = sql.values<{ id: number; limit: number }, number>(
    `SELECT id FROM event WHERE ${column} = :id ORDER BY id DESC LIMIT CAST(:limit AS BIGINT)`,
  );
  const purge = eventPurge(sql, deps);

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

/** `rowsOfEach`: all rows removed with one. */
function rowsOf(sql: Sql, text: string, rowsOfEach = 1): Purge {
  const remove = sql.run<{ id: number; limit: number }>(text);
  return async (id, limit) => rowsOfEach * (await remove({ id, limit: Math.ceil(limit / rowsOfEach) }));
}

const DEVICES_AT_ONCE = 50;
/** PostgreSQL: each is revoked, and a subscription lowers a count. */
const [ROWS_OF_DEVICE, ROWS_OF_SUBSCRIPTION] = [2, 3];
/** The triggers `device_leaves` leave more to a job. */
const SUBSCRIPTIONS_AT_ONCE = 16;

/** Handles a device's subscriptions: deletes a deleted device's, deactivates an inactive one's, renews others. */
function devicePurge(sql: Sql, { limited }: RemovalDeps): (job: CleanupJob, limit: number) => Promise<number> {
  const isThere = sql.value<{ id: number }, 1>('SELECT 1 FROM device WHERE id = :id');
  const remove = rowsOf(sql, limited('subscription', 'device_id, channel_id', 'device_id = :id'), ROWS_OF_SUBSCRIPTION);
  const suspend = rowsOf(
    sql,
    `UPDATE subscription SET active = 0 WHERE device_id = :id AND channel_id IN (
      SELECT channel_id FROM subscription JOIN device ON device.id = device_id
      WHERE device_id = :id AND active = 1 AND status = 'inactive' LIMIT CAST(:limit AS BIGINT)
    )`,
    ROWS_OF_SUBSCRIPTION,
  );
  const moveOn = sql.run<{ number: number; cursor: number }>(
    'UPDATE cleanup_job SET cursor = :cursor WHERE number = :number',
  );
  const { renewSome } = renewals(sql);

  async function renew({ number, id, cursor }: CleanupJob, limit: number): Promise<number> {
    const last = await renewSome(id, cursor, Math.ceil(limit / ROWS_OF_RENEWAL));
    if (last === null) return 0;
    await moveOn({ number, cursor: last });
    return limit;
  }

  return async (job, limit) => {
    if ((await isThere(job)) === undefined) return remove(job.id, limit);
    const suspended = await suspend(job.id, limit);
    return suspended < limit ? suspended + (await renew(job, limit - suspended)) : suspended;
  };
}

/**
 * Removes a former member's read marks and overrides. Then removes the person with all devices and sessions, or, if they have another
 * membership, only the subscriptions in this workspace and the rights there.
 */
function memberPurge(sql: Sql, { limited }: RemovalDeps): (job: CleanupJob, limit: number) => Promise<number> {
  const isMember = sql.value<{ userId: number }, 1>('SELECT 1 FROM member WHERE user_id = :userId LIMIT 1');
  const removeUser = sql.run<{ userId: number }>('DELETE FROM person WHERE id = :userId');
  const signOut = signOuts(sql);
  const removeDevices = sql.run<ReturnType<typeof idList>>(`DELETE FROM device WHERE id IN ${ID_LIST}`);
  const nextDevices = sql.all<{ userId: number; after: number; limit: number }, { id: number; subscriptions: number }>(`
    SELECT id, (SELECT count(*) FROM subscription WHERE device_id = device.id) AS subscriptions
    FROM device WHERE user_id = :userId AND id > :after ORDER BY id LIMIT CAST(:limit AS BIGINT)
  `);
  const endSubscriptions = sql.run<object>(
    limited(
      'subscription',
      'device_id, channel_id',
      `device_id IN ${ID_LIST} AND (SELECT workspace_id FROM channel WHERE channel.id = channel_id) = :workspaceId`,
    ),
  );
  const ofPlace = 'user_id = :userId AND workspace_id = :workspaceId';
  const readMarks = sql.run<object>(limited('read_mark', 'user_id, channel_id, level', ofPlace));
  const readApart = sql.run<object>(limited('read_apart', 'user_id, channel_id, level, event_id', ofPlace));
  const overrides = sql.run<object>(limited('rota_override', 'id', ofPlace));
  const rightsOfSessions = sql.run<object>(`
    DELETE FROM voucher WHERE ${ofPlace} AND session IN (
      SELECT session FROM voucher WHERE ${ofPlace} AND session IS NOT NULL LIMIT ${SESSIONS_TOGETHER}
    )
  `);
  const rightsElsewhere = sql.run<object>(`DELETE FROM voucher WHERE ${ofPlace} AND session IS NULL`);
  const moveOn = sql.run<{ number: number; cursor: number }>(
    'UPDATE cleanup_job SET cursor = :cursor WHERE number = :number',
  );

  /** Returns the next devices behind `after` worth `limit` rows with subscriptions; at least one. */
  async function devicesWorth(userId: number, after: number, limit: number): Promise<{ ids: number[]; work: number }> {
    const ids: number[] = [];
    let work = 0;
    for (const { id, subscriptions } of await nextDevices({ userId, after, limit: DEVICES_AT_ONCE })) {
      if (work >= limit) break;
      ids.push(id);
      work += ROWS_OF_DEVICE + ROWS_OF_SUBSCRIPTION * Math.min(subscriptions, SUBSCRIPTIONS_AT_ONCE);
    }
    return { ids, work };
  }

  /**
   * Continues with the next devices until `limit` rows are done, or none is left. `carryOut` returns whether it did
   * all.
   */
  async function workInParts(
    userId: number,
    after: number,
    limit: number,
    carryOut: (ids: readonly number[], last: number, left: number) => Promise<boolean>,
  ): Promise<number> {
    let done = 0;
    for (let cursor = after; done < limit; ) {
      const { ids, work } = await devicesWorth(userId, cursor, limit - done);
      const last = ids.at(-1);
      if (last === undefined) break;
      if (!(await carryOut(ids, last, limit - done))) return limit;
      cursor = last;
      done += work;
    }
    return done;
  }

  /** Rows have no key, so some sessions' go together. */
  async function removeRights(place: { userId: number; workspaceId: number }, limit: number): Promise<number> {
    let removed = await rightsElsewhere(place);
    while (removed < limit) {
      const ofSome = await rightsOfSessions(place);
      if (ofSome === 0) break;
      removed += ofSome;
    }
    return removed;
  }

  /** Removes read marks and overrides of rotas. */
  async function removeOwn(place: { userId: number; workspaceId: number }, limit: number): Promise<number> {
    let removed = 0;
    for (const remove of [readMarks, readApart, overrides]) {
      if (removed < limit) removed += await remove({ ...place, limit: limit - removed });
    }
    return removed;
  }

  return async ({ number, id: userId, workspaceId, cursor }, allowed) => {
    const own = await removeOwn({ userId, workspaceId }, allowed);
    const limit = allowed - own;
    if (limit === 0) return own;
    if ((await isMember({ userId })) === undefined) {
      const work = await workInParts(userId, 0, limit, async (ids) => (await removeDevices(idList(ids))) > 0);
      if (work >= limit) return own + work;
      const { closed, more } = await signOut.entirely(userId);
      return own + (more ? limit : work + closed + (await removeUser({ userId })));
    }
    const work = await workInParts(userId, cursor, limit, async (ids, last, left) => {
      const most = Math.ceil(left / ROWS_OF_SUBSCRIPTION);
      if ((await endSubscriptions({ ...idList(ids), workspaceId, limit: most })) === most) return false;
      await moveOn({ number, cursor: last });
      return true;
    });
    return own + (work < limit ? work + (await removeRights({ userId, workspaceId }, limit - work)) : work);
  };
}
