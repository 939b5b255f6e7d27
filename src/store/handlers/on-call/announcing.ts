import { movedShifts } from '../../../contract/on-call/moved.ts';
import {
  ANNOUNCED_AHEAD_MS,
  type HandedOver,
  handoverNotices,
  leftNotices,
  movedNotices,
} from '../../../contract/on-call/notices.ts';
import type { Moment } from '../../../process/clock.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import { MOST_COUNTED } from '../../calls/alerts.ts';
import { type Actor, isRefusal } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import { DECIDES, IS_OPEN } from '../alerts/alert-rows.ts';
import { shownName } from '../alerts/shown-name.ts';
import { lookups } from '../lookups.ts';
import type { Announcement } from './notices.ts';
import { membersOf, type People } from './rows.ts';
import { type LoadedRota, rotaTimelines } from './timelines.ts';

const MOST_MANAGERS = 30;

const MANAGERS = `
  SELECT user_id FROM member WHERE workspace_id = :workspaceId AND role IN ('owner', 'admin')
  ORDER BY created_at, user_id LIMIT ${MOST_MANAGERS}`;

/** Open alerts in channels with the rota, which no mark decides. */
const OPEN = `
  SELECT alert.event_id FROM channel JOIN alert ON alert.channel_id = channel.id
  WHERE channel.rota_id = :id AND ${IS_OPEN} AND NOT EXISTS (SELECT 1 FROM alert_mark AS mark WHERE ${DECIDES})
  LIMIT ${MOST_COUNTED}`;

const OVERRIDE = 'SELECT public_id FROM rota_override WHERE id = :id';

/** A change of a rota or its overrides. */
interface Changed {
  readonly before: LoadedRota;
  readonly after: LoadedRota;
  readonly actor: Actor | undefined;
  /** The person who leaves the workspace. */
  readonly left?: number;
}

/** Returns what handovers and changes announce. */
export function announcing(sql: Sql) {
  const managersOf = sql.values<{ workspaceId: number }, number>(MANAGERS);
  const openIn = sql.values<{ id: number }, number>(OPEN);
  const overrideOf = sql.value<{ id: number }, string>(OVERRIDE);
  const find = lookups(sql);
  const timelines = rotaTimelines(sql);

  const peopleOf = (ids: readonly (number | null)[]) => timelines.people(ids.filter((id) => id !== null));

  return {
    async handover({ row }: LoadedRota, handedOver: HandedOver | null, { wallMs }: Moment): Promise<Announcement[]> {
      if (handedOver === null) return [];
      const { off, on, fromMs, untilMs, override } = handedOver;
      const people = await peopleOf([off, on]);
      const person = (id: number | null) => (id === null ? null : (people(id) ?? null));
      const message = {
        rota: row.slug,
        name: row.name,
        on_call: person(on),
        previous: person(off),
        from: toTimestamp(fromMs),
        until: untilMs === null ? null : toTimestamp(untilMs),
        override: override === null ? null : ((await overrideOf({ id: override })) ?? null),
      };
      if (row.announce === 0) return [{ message }];
      return [{ message }, ...handoverNotices(row, handedOver, (await openIn(row)).length, namesBy(people), wallMs)];
    },

    /** Tells people whose time within the next 30 days has moved, and managers about a member who left. */
    async change({ before, after, actor, left }: Changed, { wallMs }: Moment): Promise<Announcement[]> {
      const { row } = after;
      const author = actor?.kind === 'user' ? await find.user(actor.name) : null;
      const person = author === null || isRefusal(author) ? null : author;
      const by = person === null ? (actor?.kind === 'operator' ? actor.name : 'pushctl') : shownName(person);
      const moved = movedShifts(before.timeline, after.timeline, wallMs, wallMs + ANNOUNCED_AHEAD_MS);
      const { person: onCall } = after.timeline.at(wallMs);
      const people = await peopleOf([...moved.flatMap((shift) => [shift.before, shift.after]), onCall, left ?? null]);
      const nameOf = namesBy(people);
      const notices =
        row.announce === 0 ? [] : movedNotices(row, moved, { author: person?.id ?? null, by }, nameOf, wallMs);
      if (left === undefined || !membersOf(before.row).includes(left)) return [...notices];
      const managers = (await managersOf(row)).filter((id) => id !== person?.id && id !== left);
      return [...notices, ...leftNotices(row, nameOf(left), managers, nameOf(onCall))];
    },
  };
}

function namesBy(people: People): (id: number | null) => string {
  return (id) => (id === null ? 'Nobody' : (people(id)?.name ?? 'A former member'));
}
