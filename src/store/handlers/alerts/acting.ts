import { publicIdOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import { type Actor, type AlertAsker, isRefusal, type Refusal } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import { lookups } from '../lookups.ts';
import { type AlertRow, personActor } from './alert-rows.ts';
import { alertFinder } from './finding.ts';
import { shownName } from './shown-name.ts';

export interface Who {
  readonly kind: 'member' | 'key' | 'operator';
  readonly name: string;
  /** The caller as in `alert.acted_by`. A key's rotations are one caller. */
  readonly actor: string;
  /** Null: not a person. */
  readonly personId: number | null;
}

type ActAsked = AlertAsker & { readonly publicId: string; readonly as?: string };

/** Returns the first and last steps of all callers' changes of an alert. */
export function acting(sql: Sql) {
  const emailOf = sql.value<{ id: number }, string>('SELECT email FROM person WHERE id = :id');
  const keyById = sql.get<{ id: string }, { name: string; origin: string }>(
    'SELECT name, origin FROM api_key WHERE id = :id',
  );
  const alerts = alertFinder(sql);
  const record = alertAudit(sql);
  const find = lookups(sql);

  async function whoIs(
    { userId }: AlertAsker,
    as: string | undefined,
    row: AlertRow,
    actor: Actor | undefined,
  ): Promise<Who | Refusal> {
    if (actor?.kind === 'key') {
      const { name, origin } = (await keyById({ id: actor.id })) ?? { name: actor.id, origin: actor.id };
      return { kind: 'key', name, actor: `key ${origin}`, personId: null };
    }
    const email = userId === undefined ? as : await emailOf({ id: userId });
    if (email === undefined) {
      const name = actor?.name ?? 'pushctl';
      return { kind: 'operator', name, actor: `operator ${name}`, personId: null };
    }
    const member = await find.userIn(row.workspace, email);
    if (isRefusal(member)) return member;
    return { kind: 'member', name: shownName(member), actor: personActor(member.id), personId: member.id };
  }

  return {
    async findAlert(
      { publicId, as, ...asker }: ActAsked,
      actor: Actor | undefined,
    ): Promise<{ row: AlertRow; who: Who } | Refusal> {
      const row = await alerts.find({ publicId, ...asker }, actor);
      if (isRefusal(row)) return row;
      const who = await whoIs(asker, as, row, actor);
      return isRefusal(who) ? who : { row, who };
    },

    alertById: alerts.byId,

    async showAgain(row: AlertRow, now: Moment) {
      return alerts.show((await alerts.byId(row.id)) ?? row, now);
    },

    /** Audits keys' changes. Members' and operators' calls are audited already. */
    async recordOfKey(action: string, row: AlertRow, actor: Actor | undefined, now: Moment): Promise<void> {
      if (actor?.kind === 'key') await record(action, row, now, '', `key ${actor.id}`);
    },
  };
}

/** The part of an alert in audit entries. */
interface NamedAlert {
  readonly uuid: Uint8Array;
  readonly workspaceId: number;
  readonly channel: string;
}

const INSERT = `
  INSERT INTO audit (at, actor_kind, actor, action, workspace, object)
  SELECT :wallMs, 'operator', :actor, :action, slug, :object FROM workspace WHERE id = :workspaceId`;

/** Audits changes of alerts by the server or an API key (`actor`). */
export function alertAudit(sql: Sql) {
  const insert = sql.run<object>(INSERT);

  return async (action: string, alert: NamedAlert, { wallMs }: Moment, more = '', actor = 'pushctl') => {
    const { uuid, workspaceId, channel } = alert;
    const object = `${publicIdOf(uuid)} of ${channel}${more === '' ? '' : `, ${more}`}`;
    await insert({ wallMs, actor, action, workspaceId, object });
  };
}
