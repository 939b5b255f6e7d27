/**
 * Deletions in small steps, so that nobody else waits long. What stops new work comes first, then what is queued, then
 * the rest; the thing itself goes last, so a deletion that was interrupted can be taken up again by its name.
 * Hourly counters stay: they are numbers without texts.
 */
import { isRefusal } from './calls.ts';
import type { Db, Handlers } from './handlers.ts';
import { lookups } from './lookups.ts';

const STEP_ROWS = 1000;

/** Removes up to `limit` rows that belong to `id`, and answers how many. Fewer than `limit`: none is left. */
export type Drain = (id: number, limit: number) => number;

export function deletions(db: Db): Handlers<'deleteWorkspaceStep' | 'deleteChannelStep'> {
  const suspend = db.prepare<[number]>(`UPDATE workspace SET status = 'suspended' WHERE id = ?`);
  const deleteUsage = db.prepare<[number]>('DELETE FROM usage WHERE workspace_id = ?');
  const deleteWorkspace = db.prepare<[number]>('DELETE FROM workspace WHERE id = ?');
  const deactivate = db.prepare<[number]>(`UPDATE channel SET status = 'inactive' WHERE id = ?`);
  const deleteChannel = db.prepare<[number]>('DELETE FROM channel WHERE id = ?');
  const workspaceDrains = drainsOfWorkspace(db);
  const channelDrains = drainsOfChannel(db);
  const find = lookups(db);

  return {
    deleteWorkspaceStep({ slug }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      suspend.run(workspace.id);
      if (!ranDry(workspaceDrains, workspace.id)) return { done: false };
      deleteUsage.run(workspace.id);
      deleteWorkspace.run(workspace.id);
      return { done: true };
    },

    deleteChannelStep({ workspace: workspaceSlug, slug }) {
      const workspace = find.workspace(workspaceSlug);
      if (isRefusal(workspace)) return workspace;
      const channel = find.channel(workspace, slug);
      if (isRefusal(channel)) return channel;
      deactivate.run(channel.id);
      if (!ranDry(channelDrains, channel.id)) return { done: false };
      deleteChannel.run(channel.id);
      return { done: true };
    },
  };
}

/** An event with its deliveries and tries; the event's own row goes last. */
export function eventDrain(db: Db): Drain {
  const deleteEvent = db.prepare<[number, number]>('DELETE FROM event WHERE id = ? LIMIT ?');

  return inTurn([deliveryDrain(db), drain(deleteEvent)]);
}

/** The deliveries and tries of an event. */
export function deliveryDrain(db: Db): Drain {
  const deleteAttempts = db.prepare<[number, number]>('DELETE FROM attempt WHERE event_id = ? LIMIT ?');
  const deleteDeliveries = db.prepare<[number, number]>('DELETE FROM delivery WHERE event_id = ? LIMIT ?');

  return inTurn([deleteAttempts, deleteDeliveries].map(drain));
}

function drainsOfWorkspace(db: Db): readonly Drain[] {
  const fanOuts = db.prepare<[number, number]>(`
    DELETE FROM fan_out
    WHERE route IN ('apns_production', 'apns_sandbox', 'fcm') AND lane IN ('urgent', 'standard') AND workspace_id = ?
    LIMIT ?
  `);
  const subscriptions = db.prepare<[number, number]>(
    'DELETE FROM subscription WHERE channel_id IN (SELECT id FROM channel WHERE workspace_id = ?) LIMIT ?',
  );
  const eventIds = db
    .prepare<[number, number], number>('SELECT id FROM event WHERE workspace_id = ? ORDER BY id DESC LIMIT ?')
    .pluck();
  const usersOnlyHere = `
    SELECT user_id FROM member WHERE workspace_id = ?
      AND NOT EXISTS (SELECT 1 FROM member AS other WHERE other.user_id = member.user_id AND other.workspace_id <> member.workspace_id)
  `;
  const devices = db.prepare<[number, number]>(`DELETE FROM device WHERE user_id IN (${usersOnlyHere}) LIMIT ?`);
  const users = db.prepare<[number, number]>(`DELETE FROM user WHERE id IN (${usersOnlyHere}) LIMIT ?`);

  return [drain(fanOuts), drain(subscriptions), each(eventIds, eventDrain(db)), drain(devices), drain(users)];
}

function drainsOfChannel(db: Db): readonly Drain[] {
  const fanOuts = db.prepare<[number, number]>(`
    DELETE FROM fan_out
    WHERE route IN ('apns_production', 'apns_sandbox', 'fcm') AND lane IN ('urgent', 'standard')
      AND (workspace_id, channel_id) = (SELECT workspace_id, id FROM channel WHERE id = ?)
    LIMIT ?
  `);
  const subscriptions = db.prepare<[number, number]>('DELETE FROM subscription WHERE channel_id = ? LIMIT ?');
  const eventIds = db
    .prepare<[number, number], number>('SELECT id FROM event WHERE channel_id = ? ORDER BY id DESC LIMIT ?')
    .pluck();

  return [drain(fanOuts), drain(subscriptions), each(eventIds, eventDrain(db))];
}

function ranDry(drains: readonly Drain[], id: number): boolean {
  return inTurn(drains)(id, STEP_ROWS) < STEP_ROWS;
}

/** One drain after the other, each only once the one before it has run dry. */
function inTurn(drains: readonly Drain[]): Drain {
  return (id, limit) => {
    let removed = 0;
    for (const next of drains) {
      if (removed < limit) removed += next(id, limit - removed);
    }
    return removed;
  };
}

/** The drain `of` for each of the ids that belong to the one that is given. */
function each(ids: { all(id: number, limit: number): number[] }, of: Drain): Drain {
  return (id, limit) => {
    let removed = 0;
    for (const owned of ids.all(id, limit)) {
      if (removed < limit) removed += of(owned, limit - removed);
    }
    return removed;
  };
}

function drain(statement: { run(id: number, limit: number): { changes: number } }): Drain {
  return (id, limit) => statement.run(id, limit).changes;
}
