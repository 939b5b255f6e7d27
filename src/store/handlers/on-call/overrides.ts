import { MOST_FUTURE_OVERRIDES, plannedOverride, type ShownOverride } from '../../../contract/on-call/plan.ts';
import { newOverrideId } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import { type Actor, isRefusal, type Refusal } from '../../calls.ts';
import { invalidField, noOverride, notTheirTime, tooManyOverrides, wrongField } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { shownName } from '../alerts/shown-name.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { sessionOf, vouchers } from '../people/vouchers.ts';
import { rotaChanging } from './changing.ts';
import { OF_MEMBERS, OVERRIDES, type OverrideRow, type RotaRow } from './rows.ts';
import { shownOverride } from './shifts.ts';
import { rotaTimelines } from './timelines.ts';

const INSERT = `
  INSERT INTO rota_override (public_id, workspace_id, rota_id, user_id, from_at, until_at, made_by, name, created_at)
  VALUES (:publicId, :workspaceId, :rotaId, :memberId, :fromMs, :untilMs, CAST(:madeBy AS BIGINT), :name, :wallMs)`;

interface AskedOverride {
  readonly member: string;
  readonly fromMs?: number;
  readonly untilMs?: number;
}

/** Makes and ends overrides, by members and operators (`userId` undefined). */
export function rotaOverrides(sql: Sql) {
  const insert = sql.insert<object>(INSERT);
  const byId = sql.get<{ rotaId: number; publicId: string; wallMs: number }, OverrideRow>(
    `${OVERRIDES} ${OF_MEMBERS} WHERE rota_id = :rotaId AND public_id = :publicId AND until_at > :wallMs`,
  );
  const countOf = sql.value<{ rotaId: number; wallMs: number }, number>(
    'SELECT count(*) FROM rota_override WHERE rota_id = :rotaId AND until_at > :wallMs',
  );
  const remove = sql.run<{ id: number }>('DELETE FROM rota_override WHERE id = :id');
  const endNow = sql.run<{ id: number; wallMs: number }>('UPDATE rota_override SET until_at = :wallMs WHERE id = :id');
  const find = lookups(sql);
  const timelines = rotaTimelines(sql);
  const changing = rotaChanging(sql);
  const { roleOf } = vouchers(sql);

  /** Whether the caller may act for anyone. */
  async function isManager({ id }: WorkspaceRow, userId: number | undefined, actor: Actor | undefined) {
    if (userId === undefined) return true;
    const role = await roleOf(sessionOf(actor), id);
    return role === 'owner' || role === 'admin';
  }

  async function show(override: OverrideRow): Promise<ShownOverride> {
    return shownOverride(override, await timelines.people([override.userId]));
  }

  return {
    async add(
      workspace: WorkspaceRow,
      row: RotaRow,
      { member: email, ...asked }: AskedOverride,
      userId: number | undefined,
      now: Moment,
      actor: Actor | undefined,
    ): Promise<ShownOverride | Refusal> {
      const { wallMs } = now;
      const member = await find.member(workspace, email);
      if (isRefusal(member)) return wrongField('member', member);
      const times = plannedOverride(asked, wallMs);
      if ('message' in times) return invalidField(times);
      if (member.id !== userId && !(await isManager(workspace, userId, actor))) {
        const { timeline } = await timelines.load(row);
        const shifts = timeline.shifts(times.fromMs, times.untilMs);
        if (!shifts.every(({ person }) => person === userId)) return notTheirTime();
      }
      if (((await countOf({ rotaId: row.id, wallMs })) ?? 0) >= MOST_FUTURE_OVERRIDES)
        return tooManyOverrides(row.slug, MOST_FUTURE_OVERRIDES);
      const maker = userId === undefined ? undefined : (await timelines.people([userId]))(userId);
      const name = maker === undefined ? operatorName(actor) : shownName(maker);
      const publicId = newOverrideId(wallMs);
      const override = { publicId, workspaceId: workspace.id, rotaId: row.id, memberId: member.id, ...times };
      await changing([row], now, () => insert({ ...override, madeBy: userId ?? null, name, wallMs }), { actor });
      const made = await byId({ rotaId: row.id, publicId, wallMs });
      if (made === undefined) throw new Error('an override that was just made is there');
      return show(made);
    },

    /** Lets the maker, the named person, owners, admins and operators do so. */
    async end(
      workspace: WorkspaceRow,
      row: RotaRow,
      publicId: string,
      userId: number | undefined,
      now: Moment,
      actor: Actor | undefined,
    ): Promise<ShownOverride | Refusal> {
      const { wallMs } = now;
      const override = await byId({ rotaId: row.id, publicId, wallMs });
      if (override === undefined) return noOverride(publicId, row.slug);
      const isTheirs = userId === override.userId || userId === override.madeBy;
      if (!isTheirs && !(await isManager(workspace, userId, actor))) return notTheirTime();
      const hasBegun = override.fromMs < wallMs;
      await changing([row], now, () => (hasBegun ? endNow({ id: override.id, wallMs }) : remove(override)), { actor });
      return show(hasBegun ? { ...override, untilMs: wallMs } : override);
    },
  };
}

function operatorName(actor: Actor | undefined): string {
  return actor?.kind === 'operator' ? actor.name : 'pushctl';
}
