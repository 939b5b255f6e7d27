import { type ImportLine, isRefusal } from '../../calls.ts';
import { badImport, importLost } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Awaitable, Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import type { AgedMoment } from '../retention/age-mark.ts';
import { suggestions } from '../suggestions.ts';
import { type ImportDeps, type ImportRow, importSteps, type NewLine } from './import-steps.ts';
import { storedMute } from './mutes.ts';
import { newDeviceProblem } from './registration.ts';

/**
 * Imports devices, all or none, without a long transaction that blocks others. Lines are staged in parts, checked, and
 * invisible until the commit, which changes one row; after it nothing can fail. Then devices are registered in small
 * steps, by the client or else housekeeping, also after a restart. Events accepted meanwhile reach only the devices
 * registered by then. Only removing the member ends an import.
 */

const MAX_PAUSE_MINUTES = 15;
const NAMED_LINES = 20;
/** Rows per step: requests behind it wait unnoticeably. */
const STEP_ROWS = 480;

/** `elapsedMs`: measures steps. */
export function imports(
  sql: Sql,
  { addresses }: Pick<StoreSettings, 'addresses'>,
  deps: ImportDeps,
  elapsedMs?: () => number,
) {
  const begin = sql.run<{ name: string; workspaceId: number; userId: number; wallMs: number }>(`
    INSERT INTO import (name, workspace_id, user_id, touched_at) VALUES (:name, :workspaceId, :userId, :wallMs)
    ON CONFLICT (name) DO NOTHING
  `);
  const inState = sql.get<{ name: string; state: 'staged' | 'committed' }, ImportRow>(
    'SELECT * FROM import WHERE name = :name AND state = :state',
  );
  const note = sql.run<Pick<ImportRow, 'id' | 'staged' | 'wrong' | 'mistakes'> & { wallMs: number }>(`
    UPDATE import SET staged = :staged, wrong = :wrong, mistakes = :mistakes, touched_at = :wallMs WHERE id = :id
  `);
  const commit = sql.run<{ id: number; wallMs: number }>(
    `UPDATE import SET state = 'committed', touched_at = :wallMs WHERE id = :id`,
  );
  const drop = sql.run<{ name: string }>(`UPDATE import SET state = 'dropped' WHERE name = :name AND state = 'staged'`);
  const check = lineChecks(sql, addresses);
  const register = importSteps(sql, deps, elapsedMs);
  const find = lookups(sql);

  return {
    stageImport: find.withWorkspace(async (workspace, { importId, email, lines }, { wallMs }) => {
      const user = await find.member(workspace, email);
      if (isRefusal(user)) return user;
      await begin({ name: importId, workspaceId: workspace.id, userId: user.id, wallMs });
      const row = await inState({ name: importId, state: 'staged' });
      if (row === undefined) return importLost(MAX_PAUSE_MINUTES);
      const { devices, wrong, mistakes } = await check(workspace, lines, NAMED_LINES - row.wrong);
      // After a wrong line, the others are only checked.
      const isGood = row.wrong + wrong === 0;
      if (isGood) await deps.staged.add(row.id, row.staged, devices);
      const count = row.staged + lines.length;
      const named = JSON.stringify([...(JSON.parse(row.mistakes) as Mistake[]), ...mistakes]);
      await note({ id: row.id, staged: count, wrong: row.wrong + wrong, mistakes: named, wallMs });
      return { staged: count };
    }),

    async commitImport({ importId, workspace: slug, email }, { wallMs }) {
      const row = await inState({ name: importId, state: 'staged' });
      if (row === undefined) return importLost(MAX_PAUSE_MINUTES);
      const workspace = await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const user = await find.member(workspace, email);
      if (isRefusal(user)) return user;
      if (row.workspace_id !== workspace.id || row.user_id !== user.id) return importLost(MAX_PAUSE_MINUTES);
      if (row.wrong > 0) return badImport(JSON.parse(row.mistakes) as Mistake[], row.wrong);
      await commit({ id: row.id, wallMs });
      return { devices: row.staged };
    },

    async registerImported({ importId }, { wallMs }) {
      const row = await inState({ name: importId, state: 'committed' });
      if (row === undefined) return importLost(MAX_PAUSE_MINUTES);
      const { done, imported, updated } = await register(row, STEP_ROWS, wallMs);
      return { done, imported: row.imported + imported, updated: row.updated + updated };
    },

    async dropImport({ importId }) {
      await drop({ name: importId });
      return null;
    },
  } satisfies SomeHandlers;
}

/**
 * Continues committed imports that clients left, and removes abandoned ones. Returns about how many rows it worked on;
 * fewer than `limit`: nothing is left.
 */
export function importSweep(
  sql: Sql,
  deps: ImportDeps,
): (now: Pick<AgedMoment, 'wallMs' | 'agedMs'>, limit: number) => Promise<number> {
  const unfinished = sql.get<object, ImportRow>(`
    SELECT * FROM import
    WHERE state = 'committed' AND EXISTS (SELECT 1 FROM import_line WHERE import_id = import.id) LIMIT 1
  `);
  const over = sql.value<{ beforeMs: number }, number>(
    `SELECT id FROM import WHERE state = 'dropped' OR touched_at < CAST(:beforeMs AS BIGINT) LIMIT 1`,
  );
  const remove = sql.run<{ id: number }>('DELETE FROM import WHERE id = :id');
  const register = importSteps(sql, deps);

  return async ({ wallMs, agedMs }, limit) => {
    const row = await unfinished({});
    if (row !== undefined) {
      await register(row, limit, wallMs);
      return limit;
    }
    const id = await over({ beforeMs: agedMs - MAX_PAUSE_MINUTES * 60_000 });
    if (id === undefined) return 0;
    const removed = await deps.staged.remove(id, limit);
    return removed < limit ? removed + (await remove({ id })) : removed;
  };
}

interface Mistake {
  readonly line: number;
  readonly message: string;
}

/** Returns a part's lines as stored, and the first `named` wrong ones. */
function lineChecks(sql: Sql, addresses: StoreSettings['addresses']) {
  const channelId = sql.value<{ workspaceId: number; slug: string }, number>(
    'SELECT id FROM channel WHERE workspace_id = :workspaceId AND slug = :slug',
  );
  const find = lookups(sql);
  const suggest = suggestions(sql);

  /** Only reported mistakes get a suggested name. */
  async function messageFor(workspace: WorkspaceRow, line: ImportLine): Promise<string> {
    if ('mistake' in line) return line.mistake;
    const { device } = line;
    const problem = newDeviceProblem(device, addresses);
    if (problem !== null) return problem.message;
    const channels = await find.channelIds(workspace, device.subscribe ?? []);
    return isRefusal(channels) ? (await suggest(channels)).message : '';
  }

  return async (workspace: WorkspaceRow, lines: readonly ImportLine[], named: number) => {
    const idOf = remembering((slug) => channelId({ workspaceId: workspace.id, slug }));
    const devices: NewLine[] = [];
    const bad: ImportLine[] = [];
    for (const line of lines) {
      if ('mistake' in line) {
        bad.push(line);
        continue;
      }
      const { subscribe = [], mutes = [], ...device } = line.device;
      const isRight = newDeviceProblem(line.device, addresses) === null;
      const ids: (number | undefined)[] = isRight ? [] : [undefined];
      if (isRight) for (const slug of subscribe) ids.push(await idOf(slug));
      const channelIds = ids.filter((id) => id !== undefined);
      if (channelIds.length < ids.length) bad.push(line);
      else {
        const idBySlug = new Map(subscribe.map((slug, nth) => [slug, channelIds[nth]]));
        // A channel's last mute counts.
        const lastOf = new Map(mutes.map((mute) => [mute.channel, mute]));
        const muted = [...lastOf.values()].flatMap((mute) => {
          const channelId = idBySlug.get(mute.channel);
          const stored = storedMute({ minLevel: mute.min_level, mutedUntil: mute.muted_until });
          return channelId === undefined ? [] : [{ channelId, ...stored }];
        });
        devices.push({ line: line.line, device: { ...device, channelIds, ...(muted.length > 0 && { mutes: muted }) } });
      }
    }
    const listed = bad.slice(0, Math.max(0, named));
    const mistakes: Mistake[] = [];
    for (const line of listed) mistakes.push({ line: line.line, message: await messageFor(workspace, line) });
    return { devices, wrong: bad.length, mistakes };
  };
}

function remembering<T>(ask: (name: string) => Awaitable<T>): (name: string) => Promise<T> {
  const known = new Map<string, T>();
  return async (name) => {
    if (!known.has(name)) known.set(name, await ask(name));
    return known.get(name) as T;
  };
}
