import { fieldProblem } from '../../../contract/details.ts';
import { type InsistPolicy, insistProblem } from '../../../contract/insist.ts';
import type { Moment } from '../../../process/clock.ts';
import { isRefusal, type Refusal } from '../../calls.ts';
import { invalidField, noRota, wrongField } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { alertEnds } from './ends.ts';

export const POLICY_FIELDS = `
  insist_repeat, insist_until, ring_after, escalate_after, widen_after, (SELECT slug FROM rota WHERE rota.id = channel.rota_id) AS rota_slug,
  (SELECT slug FROM channel AS next WHERE next.id = channel.escalate_to) AS escalate_slug`;

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

export function policies(sql: Sql): Policies {
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
