/**
 * Devices that come from another system: all of them or none, without one transaction that would hold everybody else
 * up.
 *
 * They are staged in parts, and each line is checked as it comes. Up to the commit nobody sees anything of them. The
 * commit changes one row, and decides: nothing can be wrong any more, so from then on the devices are registered in
 * small steps, by whoever asks for the next step; where nobody does, or the process ended, the server's housekeeping
 * goes on until the last one is there. So an event that is accepted in between goes to those that are already there.
 * Only a member who is removed in between ends it.
 */
import { type ImportLine, isRefusal } from '../calls.ts';
import { badImport, importLost } from '../refusals.ts';
import type { StoreSettings } from '../settings.ts';
import { newDeviceProblem, registrations } from '../verbs/devices/registration.ts';
import { CHANNEL_EXISTS } from '../verbs/devices/subscriptions.ts';
import { lookups, type WorkspaceRow } from '../verbs/lookups.ts';
import { suggestions } from '../verbs/suggestions.ts';
import type { Verbs } from '../verbs/verb.ts';
import type { Sweep } from './retention/purges.ts';
import { sqlOver } from './sql.ts';
import { type StagedLine, stagedLines } from './staged-lines.ts';
import type { Db } from './transaction.ts';

const MAX_PAUSE_MINUTES = 15;
const NAMED_LINES = 5;
/** The most devices that a step registers, so that no request behind it waits noticeably. */
const STEP_LINES = 400;
const STEP_MS = 15;

interface ImportRow {
  readonly id: number;
  readonly workspace_id: number;
  readonly user_id: number;
  readonly staged: number;
  readonly wrong: number;
  /** A JSON array of `Mistake`. */
  readonly mistakes: string;
  readonly imported: number;
  readonly updated: number;
}
interface Mistake {
  readonly line: number;
  readonly message: string;
}

type ImportCalls = 'stageImport' | 'commitImport' | 'registerImported' | 'dropImport';

/** `elapsedMs`: a clock for how long a step takes. */
export function imports(
  db: Db,
  { addresses }: Pick<StoreSettings, 'addresses'>,
  elapsedMs?: () => number,
): Verbs<ImportCalls> {
  const begin = db.prepare<{ name: string; workspaceId: number; userId: number; wallMs: number }>(`
    INSERT INTO import (name, workspace_id, user_id, touched_at) VALUES (:name, :workspaceId, :userId, :wallMs)
    ON CONFLICT DO NOTHING
  `);
  const inState = db.prepare<[string, 'staged' | 'committed'], ImportRow>(
    'SELECT * FROM import WHERE name = ? AND state = ?',
  );
  const note = db.prepare<Pick<ImportRow, 'id' | 'staged' | 'wrong' | 'mistakes'> & { wallMs: number }>(`
    UPDATE import SET staged = :staged, wrong = :wrong, mistakes = :mistakes, touched_at = :wallMs WHERE id = :id
  `);
  const commit = db.prepare<[number, number]>(`UPDATE import SET state = 'committed', touched_at = ? WHERE id = ?`);
  const drop = db.prepare<[string]>(`UPDATE import SET state = 'dropped' WHERE name = ? AND state = 'staged'`);
  const { add } = stagedLines(db);
  const check = lineChecks(db, addresses);
  const register = registrars(db, elapsedMs);
  const find = lookups(sqlOver(db));

  return {
    async stageImport({ importId, workspace: slug, email, lines }, { wallMs }) {
      const workspace = await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const user = await find.member(workspace, email);
      if (isRefusal(user)) return user;
      begin.run({ name: importId, workspaceId: workspace.id, userId: user.id, wallMs });
      const row = inState.get(importId, 'staged');
      if (row === undefined) return importLost(MAX_PAUSE_MINUTES);
      const { devices, wrong, mistakes } = await check(workspace, lines, NAMED_LINES - row.wrong);
      // Once a line is wrong nothing will come of the others: they are only looked at.
      const isGood = row.wrong + wrong === 0;
      if (isGood) add(row.id, row.staged, devices);
      const staged = row.staged + lines.length;
      const named = JSON.stringify([...(JSON.parse(row.mistakes) as Mistake[]), ...mistakes]);
      note.run({ id: row.id, staged, wrong: row.wrong + wrong, mistakes: named, wallMs });
      return { staged };
    },

    async commitImport({ importId, workspace: slug, email }, { wallMs }) {
      const row = inState.get(importId, 'staged');
      if (row === undefined) return importLost(MAX_PAUSE_MINUTES);
      const workspace = await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const user = await find.member(workspace, email);
      if (isRefusal(user)) return user;
      if (row.workspace_id !== workspace.id || row.user_id !== user.id) return importLost(MAX_PAUSE_MINUTES);
      if (row.wrong > 0) return badImport(JSON.parse(row.mistakes) as Mistake[], row.wrong);
      commit.run(wallMs, row.id);
      return { devices: row.staged };
    },

    async registerImported({ importId }, { wallMs }) {
      const row = inState.get(importId, 'committed');
      if (row === undefined) return importLost(MAX_PAUSE_MINUTES);
      const { done, imported, updated } = await register(row, STEP_LINES, wallMs);
      return { done, imported: row.imported + imported, updated: row.updated + updated };
    },

    async dropImport({ importId }) {
      drop.run(importId);
      return null;
    },
  };
}

/**
 * Goes on with what was committed and left by whoever began it, and removes what nobody will commit or ask for any
 * more.
 */
export function importSweep(db: Db): Sweep {
  const unfinished = db.prepare<[], ImportRow>(`
    SELECT * FROM import WHERE state = 'committed' AND EXISTS (SELECT 1 FROM import_line WHERE import_id = import.id) LIMIT 1
  `);
  const over = db
    .prepare<[number], number>(`SELECT id FROM import WHERE state = 'dropped' OR touched_at < ? LIMIT 1`)
    .pluck();
  const remove = db.prepare<[number]>('DELETE FROM import WHERE id = ?');
  const lines = stagedLines(db);
  const register = registrars(db);

  return async (wallMs, limit) => {
    const row = unfinished.get();
    if (row !== undefined) {
      await register(row, limit, wallMs);
      return limit;
    }
    const id = over.get(wallMs - MAX_PAUSE_MINUTES * 60_000);
    if (id === undefined) return 0;
    const removed = lines.remove(id, limit);
    return removed < limit ? removed + remove.run(id).changes : removed;
  };
}

/** Answers how the lines of a part are kept, and the first `named` of those that are wrong. */
function lineChecks(db: Db, addresses: StoreSettings['addresses']) {
  const channelId = db
    .prepare<[number, string], number>('SELECT id FROM channel WHERE workspace_id = ? AND slug = ?')
    .pluck();
  const find = lookups(sqlOver(db));
  const suggest = suggestions(sqlOver(db));

  /** Only what is told is worth finding the nearest name for. */
  async function messageFor(workspace: WorkspaceRow, { device }: ImportLine): Promise<string> {
    const problem = newDeviceProblem(device, addresses);
    if (problem !== null) return problem.message;
    const channels = await find.channelIds(workspace, device.subscribe ?? []);
    return isRefusal(channels) ? (await suggest(channels)).message : '';
  }

  return async (workspace: WorkspaceRow, lines: readonly ImportLine[], named: number) => {
    const idOf = remembering((slug) => channelId.get(workspace.id, slug));
    const devices: Omit<StagedLine, 'behind'>[] = [];
    const bad: ImportLine[] = [];
    for (const each of lines) {
      const { subscribe = [], ...device } = each.device;
      const ids = newDeviceProblem(each.device, addresses) === null ? subscribe.map(idOf) : [undefined];
      const channelIds = ids.filter((id) => id !== undefined);
      if (channelIds.length < ids.length) bad.push(each);
      else devices.push({ line: each.line, device: { ...device, channelIds } });
    }
    const told = bad.slice(0, Math.max(0, named));
    const mistakes: Mistake[] = [];
    for (const each of told) mistakes.push({ line: each.line, message: await messageFor(workspace, each) });
    return { devices, wrong: bad.length, mistakes };
  };
}

/**
 * Makes devices of the next lines of a committed import: of up to `limit`, but of fewer where they have many channels,
 * or where it takes long.
 */
function registrars(db: Db, elapsedMs: () => number = () => performance.now()) {
  const isMember = db
    .prepare<[number, number], 1>('SELECT 1 FROM member WHERE workspace_id = ? AND user_id = ?')
    .pluck();
  const count = db.prepare<{ id: number; imported: number; updated: number; wallMs: number }>(`
    UPDATE import SET imported = imported + :imported, updated = updated + :updated, touched_at = :wallMs WHERE id = :id
  `);
  const drop = db.prepare<[number]>(`UPDATE import SET state = 'dropped' WHERE id = ?`);
  const staged = stagedLines(db);
  const { register } = registrations(sqlOver(db));
  const subscribeAll = subscribers(db);

  return async ({ id, workspace_id: workspaceId, user_id: userId }: ImportRow, limit: number, wallMs: number) => {
    if (isMember.get(workspaceId, userId) === undefined) {
      drop.run(id);
      return { done: true, imported: 0, updated: 0 };
    }
    const untilMs = elapsedMs() + STEP_MS;
    const waiting = staged.next(id, limit);
    const subscriptions: { readonly channelId: number; readonly deviceId: number }[] = [];
    let [lines, imported] = [0, 0];
    for (const { device } of waiting) {
      const { channelIds, ...address } = device;
      const { id: deviceId, created } = await register({ userId, device: address, channelIds: [], wallMs });
      subscriptions.push(...channelIds.map((channelId) => ({ channelId, deviceId })));
      if (created) imported += 1;
      lines += 1;
      if (subscriptions.length > limit || elapsedMs() >= untilMs) break;
    }
    for (const [channelId, devices] of Map.groupBy(subscriptions, (each) => each.channelId)) {
      const deviceIds = devices.map(({ deviceId }) => deviceId);
      subscribeAll(deviceIds, channelId);
    }
    const last = waiting[lines - 1];
    if (last !== undefined) staged.removeUpTo(id, last);
    count.run({ id, imported, updated: lines - imported, wallMs });
    return { done: lines === waiting.length && lines < limit, imported, updated: lines - imported };
  };
}

/** As `Subscriptions.add` for each of the devices, in a third of the time. */
function subscribers(db: Db): (deviceIds: readonly number[], channelId: number) => void {
  const channelExists = sqlOver(db).value<{ channelId: number }, 1>(CHANNEL_EXISTS);
  const insert = db.prepare<[number, string]>(`
    INSERT INTO subscription (channel_id, device_id, user_id, route, active)
    SELECT ?, device.id, user_id, route, status = 'active'
    FROM json_each(?) AS asked CROSS JOIN device WHERE device.id = asked.value
    ON CONFLICT DO NOTHING
  `);
  return (deviceIds, channelId) => {
    if (channelExists({ channelId }) === 1) insert.run(channelId, JSON.stringify(deviceIds));
  };
}

function remembering<T>(ask: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    if (!known.has(name)) known.set(name, ask(name));
    return known.get(name) as T;
  };
}
