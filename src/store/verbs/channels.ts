import { channelSlugProblem, displayNameProblem, fieldProblem } from '../../contract/names.ts';
import { type Channel, isRefusal } from '../calls.ts';
import { channelExists, invalidField } from '../refusals.ts';
import { STEP_ROWS } from '../sqlite/retention/drains.ts';
import { remainsDrain } from '../sqlite/retention/remains.ts';
import type { Db, Handlers, StoreSettings } from '../sqlite/transaction.ts';
import { caps } from './caps.ts';
import { lookups } from './lookups.ts';

export const CHANNEL_FIELDS = `
  slug, name, status, (SELECT coalesce(sum(devices), 0) FROM audience WHERE channel_id = channel.id) AS device_count
`;

export function channels(
  db: Db,
  settings: StoreSettings,
): Handlers<'createChannel' | 'listChannels' | 'updateChannel' | 'deleteChannel'> {
  const insert = db.prepare<{ workspaceId: number; slug: string; name: string; wallMs: number }>(`
    INSERT INTO channel (workspace_id, slug, name, created_at) VALUES (:workspaceId, :slug, :name, :wallMs)
    ON CONFLICT DO NOTHING
  `);
  const all = db.prepare<[number], Channel>(
    `SELECT ${CHANNEL_FIELDS} FROM channel WHERE workspace_id = ? ORDER BY slug`,
  );
  const update = db.prepare<[string, string, Channel['status'], number]>(
    'UPDATE OR IGNORE channel SET slug = ?, name = ?, status = ? WHERE id = ?',
  );
  const deviceCount = db
    .prepare<[number], number>('SELECT coalesce(sum(devices), 0) FROM audience WHERE channel_id = ?')
    .pluck();
  const remove = db.prepare<[number]>('DELETE FROM channel WHERE id = ?');
  const removeRemains = remainsDrain(db);
  const cap = caps(db, settings);
  const find = lookups(db);

  return {
    createChannel({ workspace: workspaceSlug, slug, name = slug }, { wallMs }) {
      const workspace = find.workspace(workspaceSlug);
      if (isRefusal(workspace)) return workspace;
      const problem = fieldProblem('slug', channelSlugProblem(slug)) ?? fieldProblem('name', displayNameProblem(name));
      if (problem !== null) return invalidField(problem);
      const full = cap.channel(workspace);
      if (full !== null) return full;
      const { changes } = insert.run({ workspaceId: workspace.id, slug, name, wallMs });
      if (changes === 0) return channelExists(slug, workspaceSlug);
      return { slug, name, status: 'active', device_count: 0 };
    },

    listChannels({ workspace: workspaceSlug }) {
      const workspace = find.workspace(workspaceSlug);
      return isRefusal(workspace) ? workspace : all.all(workspace.id);
    },

    updateChannel({ workspace: workspaceSlug, slug: oldSlug, ...change }) {
      const workspace = find.workspace(workspaceSlug);
      if (isRefusal(workspace)) return workspace;
      const channel = find.channel(workspace, oldSlug);
      if (isRefusal(channel)) return channel;
      const { newSlug: slug = oldSlug, name = channel.name, status = channel.status } = change;
      const problem = fieldProblem('slug', channelSlugProblem(slug)) ?? fieldProblem('name', displayNameProblem(name));
      if (problem !== null) return invalidField(problem);
      const { changes } = update.run(slug, name, status, channel.id);
      if (changes === 0) return channelExists(slug, workspaceSlug);
      return { slug, name, status, device_count: deviceCount.get(channel.id) ?? 0 };
    },

    deleteChannel({ workspace: workspaceSlug, slug }) {
      const workspace = find.workspace(workspaceSlug);
      if (isRefusal(workspace)) return workspace;
      const channel = find.channel(workspace, slug);
      if (isRefusal(channel)) return channel;
      const { name, status } = channel;
      const gone = { slug, name, status, device_count: deviceCount.get(channel.id) ?? 0 };
      remove.run(channel.id);
      removeRemains(STEP_ROWS);
      return gone;
    },
  };
}
