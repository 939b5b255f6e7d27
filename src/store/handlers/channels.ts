import { fieldProblem } from '../../contract/details.ts';
import { displayName, displayNameProblem, slugProblem } from '../../contract/names.ts';
import { type InsistPolicy, insistProblem, withDefaults } from '../../contract/ringing.ts';
import type { Moment } from '../../process/clock.ts';
import { type Channel, isRefusal, type Refusal } from '../calls.ts';
import { channelExists, invalidField, noRota, wrongField } from '../refusals.ts';
import type { StoreSettings } from '../settings.ts';
import type { Sql } from '../sql.ts';
import { alertEnds } from './alerts/ends.ts';
import type { EngineDeps, SomeHandlers } from './handler.ts';
import { lookups, type WorkspaceRow } from './lookups.ts';
import { quotas } from './quotas.ts';
import { SOUND_FIELDS, type SoundRow, soundFieldsOf, soundSettings } from './sounds.ts';

export const POLICY_FIELDS = `
  insist_repeat, insist_until, ring_after, escalate_after, widen_after, (SELECT slug FROM rota WHERE rota.id = channel.rota_id) AS rota_slug,
  (SELECT slug FROM channel AS next WHERE next.id = channel.escalate_to) AS escalate_slug`;

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

export interface PolicyRow {
  readonly insist_repeat: number | null;
  readonly insist_until: number | null;
  readonly ring_after: number | null;
  readonly escalate_after: number | null;
  readonly escalate_slug: string | null;
  readonly rota_slug: string | null;
  readonly widen_after: number | null;
}

export function policyOf(row: PolicyRow): InsistPolicy | null {
  const { insist_repeat: repeat, insist_until: until, escalate_after: after, escalate_slug: channel } = row;
  const { rota_slug: rota, widen_after } = row;
  if (repeat === null || until === null) return null;
  return {
    repeat,
    until,
    ring_after: row.ring_after ?? 0,
    ...(after !== null && channel !== null && { escalate: { after, channel } }),
    ...(rota !== null && widen_after !== null && { on_call: { rota, widen_after } }),
  };
}

/** Brings the next reminder forward, no later than by the new policy. */
const HASTEN = `
  UPDATE insisting SET repeat_ms = CAST(:repeatMs AS BIGINT), next_at = CASE
    WHEN next_at > CAST(:steadyMs AS BIGINT) + CAST(:repeatMs AS BIGINT)
    THEN CAST(:steadyMs AS BIGINT) + CAST(:repeatMs AS BIGINT) ELSE next_at END
  WHERE channel_id = :id`;

interface Policies {
  /** Returns why the policy is refused; null: valid. */
  check(workspace: WorkspaceRow, slug: string, policy: InsistPolicy): Promise<Refusal | null>;
  /** Sets the checked policy. Without one, resolves the channel's live alerts. */
  set(workspace: WorkspaceRow, channelId: number, policy: InsistPolicy | null, now: Moment): Promise<void>;
}

function policies(sql: Sql): Policies {
  const write = sql.run<object>(`
    UPDATE channel SET insist_repeat = CAST(:repeat AS BIGINT), insist_until = CAST(:until AS BIGINT), ring_after = CAST(:ringAfter AS BIGINT),
      escalate_after = CAST(:after AS BIGINT), escalate_to = CAST(:next AS BIGINT),
      rota_id = CAST(:rota AS BIGINT), widen_after = CAST(:widenAfter AS BIGINT)
    WHERE id = :id
  `);
  const hasten = sql.run<{ id: number; repeatMs: number; steadyMs: number }>(HASTEN);
  const find = lookups(sql);
  const ends = alertEnds(sql);
  const rotaOf = sql.value<{ workspaceId: number; slug: string }, number>(
    'SELECT id FROM rota WHERE workspace_id = :workspaceId AND slug = :slug',
  );
  /** Undefined: the workspace has none of this name. */
  const findRota = ({ id: workspaceId }: WorkspaceRow, slug: string) => rotaOf({ workspaceId, slug });

  return {
    async check(workspace, slug, policy) {
      const problem = insistProblem(policy);
      if (problem !== null) return invalidField(problem);
      const rota = policy.on_call?.rota;
      if (rota !== undefined && (await findRota(workspace, rota)) === undefined)
        return wrongField('insist.on_call.rota', noRota(rota, workspace));
      const field = 'insist.escalate.channel';
      const next = policy.escalate?.channel;
      if (next === undefined) return null;
      if (next === slug) return invalidField(fieldProblem(field, 'another_channel'));
      const found = await find.channel(workspace, next);
      return isRefusal(found) ? wrongField(field, found) : null;
    },

    async set(workspace, id, policy, now) {
      const next = policy?.escalate && (await find.channel(workspace, policy.escalate.channel));
      await write({
        id,
        repeat: policy?.repeat ?? null,
        until: policy?.until ?? null,
        ringAfter: policy?.ring_after || null,
        after: policy?.escalate?.after ?? null,
        next: next === undefined || isRefusal(next) ? null : next.id,
        rota: policy?.on_call === undefined ? null : await findRota(workspace, policy.on_call.rota),
        widenAfter: policy?.on_call?.widen_after ?? null,
      });
      if (policy === null) await ends.endAllOf(id, now);
      else await hasten({ id, repeatMs: 1000 * Math.max(policy.repeat, policy.ring_after), steadyMs: now.steadyMs });
    },
  };
}
