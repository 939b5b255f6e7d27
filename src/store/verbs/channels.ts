import { channelSlugProblem, displayName, displayNameProblem, fieldProblem } from '../../contract/names.ts';
import { type Channel, isRefusal } from '../calls.ts';
import { channelExists, invalidField } from '../refusals.ts';
import type { StoreSettings } from '../settings.ts';
import type { Sql } from '../sql.ts';
import { lookups } from './lookups.ts';
import { quotas } from './quotas.ts';
import type { EngineDeps, Verbs } from './verb.ts';

export const CHANNEL_FIELDS = `
  slug, name, status, (SELECT coalesce(sum(devices), 0) FROM audience WHERE channel_id = channel.id) AS device_count
`;

export function channels(
  sql: Sql,
  settings: StoreSettings,
  { removeRemains }: EngineDeps,
): Verbs<'createChannel' | 'listChannels' | 'updateChannel' | 'deleteChannel'> {
  const insert = sql.run<{ workspaceId: number; slug: string; name: string; wallMs: number }>(`
    INSERT INTO channel (workspace_id, slug, name, created_at) VALUES (:workspaceId, :slug, :name, :wallMs)
    ON CONFLICT (workspace_id, slug) DO NOTHING
  `);
  const all = sql.all<{ workspaceId: number }, Channel>(
    `SELECT ${CHANNEL_FIELDS} FROM channel WHERE workspace_id = :workspaceId ORDER BY slug`,
  );
  const update = sql.run<Omit<Channel, 'device_count'> & { id: number; workspaceId: number }>(`
    UPDATE channel SET slug = :slug, name = :name, status = :status
    WHERE id = :id AND NOT EXISTS (
      SELECT 1 FROM channel AS other WHERE other.workspace_id = :workspaceId AND other.slug = :slug AND other.id <> :id
    )
  `);
  const deviceCount = sql.value<{ id: number }, number>(
    'SELECT coalesce(sum(devices), 0) FROM audience WHERE channel_id = :id',
  );
  const remove = sql.run<{ id: number }>('DELETE FROM channel WHERE id = :id');
  const quota = quotas(sql, settings);
  const find = lookups(sql);

  return {
    async createChannel({ workspace: workspaceSlug, slug, name: given = slug }, { wallMs }) {
      const name = displayName(given);
      const workspace = await find.workspace(workspaceSlug);
      if (isRefusal(workspace)) return workspace;
      const problem = fieldProblem('slug', channelSlugProblem(slug)) ?? fieldProblem('name', displayNameProblem(name));
      if (problem !== null) return invalidField(problem);
      const full = await quota.channel(workspace);
      if (full !== null) return full;
      if ((await insert({ workspaceId: workspace.id, slug, name, wallMs })) === 0)
        return channelExists(slug, workspaceSlug);
      return { slug, name, status: 'active', device_count: 0 };
    },

    async listChannels({ workspace: workspaceSlug }) {
      const workspace = await find.workspace(workspaceSlug);
      return isRefusal(workspace) ? workspace : all({ workspaceId: workspace.id });
    },

    async updateChannel({ workspace: workspaceSlug, slug: oldSlug, ...change }) {
      const workspace = await find.workspace(workspaceSlug);
      if (isRefusal(workspace)) return workspace;
      const channel = await find.channel(workspace, oldSlug);
      if (isRefusal(channel)) return channel;
      const { newSlug: slug = oldSlug, status = channel.status } = change;
      const name = displayName(change.name ?? channel.name);
      const problem = fieldProblem('slug', channelSlugProblem(slug)) ?? fieldProblem('name', displayNameProblem(name));
      if (problem !== null) return invalidField(problem);
      const { id } = channel;
      if ((await update({ id, workspaceId: workspace.id, slug, name, status })) === 0)
        return channelExists(slug, workspaceSlug);
      return { slug, name, status, device_count: (await deviceCount({ id })) ?? 0 };
    },

    async deleteChannel({ workspace: workspaceSlug, slug }) {
      const workspace = await find.workspace(workspaceSlug);
      if (isRefusal(workspace)) return workspace;
      const channel = await find.channel(workspace, slug);
      if (isRefusal(channel)) return channel;
      const { id, name, status } = channel;
      const gone = { slug, name, status, device_count: (await deviceCount({ id })) ?? 0 };
      await remove({ id });
      await removeRemains();
      return gone;
    },
  };
}
