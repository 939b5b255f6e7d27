import { withDefaults } from '../../contract/insist.ts';
import { displayName, displayNameProblem, slugProblem } from '../../contract/names.ts';
import { type Channel, isRefusal } from '../calls.ts';
import { channelExists, invalidField } from '../refusals.ts';
import type { StoreSettings } from '../settings.ts';
import type { Sql } from '../sql.ts';
import { alertEnds } from './alerts/ends.ts';
import { POLICY_FIELDS, type PolicyRow, policies, policyOf } from './alerts/policy.ts';
import type { EngineDeps, SomeHandlers } from './handler.ts';
import { lookups } from './lookups.ts';
import { quotas } from './quotas.ts';
import { SOUND_FIELDS, type SoundRow, soundFieldsOf, soundSettings } from './sounds.ts';

export const CHANNEL_FIELDS = `
  slug, name, status, (SELECT coalesce(sum(devices), 0) FROM audience WHERE channel_id = channel.id) AS device_count,
  ${POLICY_FIELDS}, ${SOUND_FIELDS}
`;

export type ChannelFields = Omit<Channel, 'insist' | 'quiet' | 'rings'> & PolicyRow & SoundRow;

export function shownChannel(row: ChannelFields): Channel {
  const { slug, name, status, device_count } = row;
  return { slug, name, status, device_count, insist: policyOf(row), ...soundFieldsOf(row) };
}

export function channels(sql: Sql, settings: StoreSettings, deps: EngineDeps) {
  const insert = sql.run<{ workspaceId: number; slug: string; name: string; wallMs: number }>(`
    INSERT INTO channel (workspace_id, slug, name, created_at) VALUES (:workspaceId, :slug, :name, :wallMs)
    ON CONFLICT (workspace_id, slug) DO NOTHING
  `);
  const readChannels = sql.all<{ workspaceId: number }, ChannelFields>(
    `SELECT ${CHANNEL_FIELDS} FROM channel WHERE workspace_id = :workspaceId ORDER BY slug`,
  );
  const update = sql.run<Pick<Channel, 'slug' | 'name' | 'status'> & { id: number; workspaceId: number }>(`
    UPDATE channel SET slug = :slug, name = :name, status = :status
    WHERE id = :id AND NOT EXISTS (
      SELECT 1 FROM channel AS other WHERE other.workspace_id = :workspaceId AND other.slug = :slug AND other.id <> :id
    )
  `);
  const byId = sql.get<{ id: number }, ChannelFields>(`SELECT ${CHANNEL_FIELDS} FROM channel WHERE id = :id`);
  const remove = sql.run<{ id: number }>('DELETE FROM channel WHERE id = :id');
  const quota = quotas(sql, settings);
  const policy = policies(sql);
  const sounds = soundSettings(sql);
  const ends = alertEnds(sql);
  const find = lookups(sql);

  async function showChannel(id: number): Promise<Channel> {
    const row = await byId({ id });
    if (row === undefined) throw new Error('a channel that was just found is there');
    return shownChannel(row);
  }

  return {
    createChannel: find.withWorkspace(async (workspace, { slug, name: given = slug }, { wallMs }) => {
      const name = displayName(given);
      const problem = slugProblem(slug) ?? displayNameProblem(name);
      if (problem !== null) return invalidField(problem);
      const full = await quota.channel(workspace);
      if (full !== null) return full;
      if ((await insert({ workspaceId: workspace.id, slug, name, wallMs })) === 0)
        return channelExists(slug, workspace.slug);
      return { slug, name, status: 'active', device_count: 0, insist: null, quiet: null, rings: null };
    }),

    listChannels: find.withWorkspace(async (workspace) =>
      (await readChannels({ workspaceId: workspace.id })).map(shownChannel),
    ),

    updateChannel: find.withWorkspace(
      async (workspace, { slug: oldSlug, insist: asked, quiet, rings, ...change }, now) => {
        const channel = await find.channel(workspace, oldSlug);
        if (isRefusal(channel)) return channel;
        const insist = asked && withDefaults(asked);
        const { newSlug: slug = oldSlug, status = channel.status } = change;
        const name = displayName(change.name ?? channel.name);
        const problem = slugProblem(slug) ?? displayNameProblem(name);
        if (problem !== null) return invalidField(problem);
        const unfit =
          (insist ? await policy.check(workspace, oldSlug, insist) : null) ?? sounds.check({ quiet, rings });
        if (unfit !== null) return unfit;
        const { id } = channel;
        if ((await update({ id, workspaceId: workspace.id, slug, name, status })) === 0)
          return channelExists(slug, workspace.slug);
        if (insist !== undefined) await policy.set(workspace, id, insist, now);
        await sounds.set(id, { quiet, rings });
        if (status === 'inactive' && channel.status === 'active') await ends.endAllOf(id, now);
        return showChannel(id);
      },
    ),

    deleteChannel: find.withWorkspace(async (workspace, { slug }, now) => {
      const channel = await find.channel(workspace, slug);
      if (isRefusal(channel)) return channel;
      const { id } = channel;
      const gone = await showChannel(id);
      const rows = await ends.endAllOf(id, now);
      await remove({ id });
      await deps.cleanUp(rows);
      return gone;
    }),
  } satisfies SomeHandlers;
}
