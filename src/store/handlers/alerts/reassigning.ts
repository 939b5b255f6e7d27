/** Hands an alert to one person, reminded alone for a while. */
import type { ApiSchema } from '../../../contract/api-types.ts';
import { numberOfPerson, personIdOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import { LEVELS } from '../../../push.ts';
import { type Actor, type Alert, isRefusal, type Refusal } from '../../calls.ts';
import { alertEnded, notReachable, notTheirAlert } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { searchPattern } from '../pages.ts';
import { vouchers } from '../people/vouchers.ts';
import { acting, type Who } from './acting.ts';
import { type AlertRow, IS_LIVE, personActor } from './alert-rows.ts';
import { alertFinder } from './finding.ts';
import { alertMarks } from './marks.ts';
import { NOTIFIED, type NotifiedAlert, notifying } from './notifying.ts';
import { reopening } from './reopening.ts';
import { shownName } from './shown-name.ts';

const MOST_OFFERED = 200;

const MEMBERS = `
    FROM member JOIN person ON person.id = member.user_id WHERE member.workspace_id = CAST(:workspaceId AS BIGINT)`;

const STANDING = `
  SELECT holder, channel.insist_repeat AS "repeatS" FROM alert JOIN channel ON channel.id = alert.channel_id AND channel.status = 'active'
  WHERE alert.event_id = CAST(:id AS BIGINT) AND ${IS_LIVE} AND channel.insist_repeat IS NOT NULL`;

const ASSIGN = `
  UPDATE alert SET assigned_to = :to, assignee = :assignee, assigned_by = :by, assigner = :assigner, assigned_at = :wallMs,
    reminders = reminders + 1, reminded_at = :wallMs
  WHERE event_id = :id`;

interface Standing {
  readonly holder: string | null;
  readonly repeatS: number;
}
interface Person {
  readonly id: number;
  readonly email: string;
  readonly name: string;
}
interface Place {
  readonly workspaceId: number;
  readonly channelId: number;
  /** Its place in LEVELS. */
  readonly level: number;
  readonly wallMs: number;
}

export function alertReassigning(sql: Sql, settings: StoreSettings, deps: Pick<EngineDeps, 'postOwn'>) {
  const routes = settings.routes.map((route) => `'${route}'`).join(', ');
  /** A person with an active, subscribed device unmuted for the alert's level. */
  const isReachable = (person: string) => `EXISTS (
      SELECT 1 FROM subscription
      WHERE subscription.user_id = ${person}.id AND subscription.channel_id = CAST(:channelId AS BIGINT) AND subscription.active = 1
        AND subscription.min_level <= CAST(:level AS BIGINT) AND subscription.muted_until <= CAST(:wallMs AS BIGINT)
        AND subscription.route IN (${routes === '' ? "''" : routes})
    )`;
  const offered = sql.all<Place & { limit: number }, Person>(`
    SELECT person.id, person.email, person.name ${MEMBERS} AND ${isReachable('person')}
    ORDER BY member.user_id LIMIT CAST(:limit AS BIGINT)`);
  // The inner limit makes PostgreSQL find the few of that name first.
  const named = sql.all<Place & { to: string; personId: number | null; localPart: string }, Person>(`
    SELECT id, email, name FROM (
      SELECT person.id, person.email, person.name ${MEMBERS} AND (
        person.email = lower(CAST(:to AS TEXT)) OR person.name = CAST(:to AS TEXT)
        OR person.id = CAST(:personId AS BIGINT)
        OR person.name = person.email AND person.email LIKE CAST(:localPart AS TEXT) ESCAPE '~'
      ) LIMIT ${MOST_OFFERED}
    ) AS called WHERE ${isReachable('called')} LIMIT 2`);
  const standing = sql.get<{ id: number }, Standing>(STANDING);
  const assign = sql.run<object>(ASSIGN);
  const notified = sql.get<{ id: number }, NotifiedAlert>(`${NOTIFIED} WHERE alert.event_id = CAST(:id AS BIGINT)`);
  const { roleOf } = vouchers(sql);
  const { findAlert, showAgain, alertById } = acting(sql);
  const alerts = alertFinder(sql);
  const marks = alertMarks(sql);
  const reopen = reopening(sql);
  const notify = notifying(sql, deps);

  const placeOf = ({ workspaceId, channelId, level }: AlertRow, { wallMs }: Moment): Place => {
    return { workspaceId, channelId, level: LEVELS.indexOf(level), wallMs };
  };

  async function mayReassign(who: Who, row: AlertRow, { holder }: Standing, actor: Actor | undefined) {
    if (who.kind === 'operator' || (row.state === 'acknowledged' && who.actor === holder)) return true;
    if (actor?.kind !== 'user') return actor?.kind !== 'key';
    const role = await roleOf(Buffer.from(actor.session, 'hex'), row.workspaceId);
    return role === 'owner' || role === 'admin';
  }

  async function personNamed(to: string, row: AlertRow, now: Moment): Promise<Person | Refusal> {
    const localPart = `${searchPattern(to)?.slice(1, -1)}@%`;
    const [person, another] = await named({ ...placeOf(row, now), to, personId: numberOfPerson(to), localPart });
    if (person === undefined) return notReachable('nobody_called', to);
    return another === undefined ? person : notReachable('several_called', to);
  }

  async function notifyOf(row: AlertRow, by: string, person: Person, repeatS: number, now: Moment): Promise<void> {
    const alert = await notified(row);
    if (alert === undefined) return;
    const name = shownName(person);
    await notify.noticeWithout(alert, `${by} has reassigned it to ${name}.`, person.id, now);
    await notify.assign(alert, `${by} has reassigned it to you.`, person.id, repeatS, now);
  }

  return {
    async listAssignees({ publicId, ...asker }, now, actor) {
      const row = await alerts.find({ publicId, ...asker }, actor);
      if (isRefusal(row)) return row;
      const people = await offered({ ...placeOf(row, now), limit: MOST_OFFERED });
      return { people: toldApart(people.filter(({ id }) => id !== asker.userId)) };
    },

    async reassignAlert({ to, ...asked }, now, actor): Promise<{ alert: Alert; to: string } | Refusal> {
      const found = await findAlert(asked, actor);
      if (isRefusal(found)) return found;
      const { who } = found;
      const { id } = found.row;
      await marks.followAt(id);
      const row = (await alertById(id)) ?? found.row;
      const stands = await standing({ id });
      if (stands === undefined) return alertEnded(asked.publicId);
      if (!(await mayReassign(who, row, stands, actor))) return notTheirAlert();
      const person = await personNamed(to.trim(), row, now);
      if (isRefusal(person)) return person;
      const name = shownName(person);
      await notify.takeBack([id], now);
      const people = { to: name, assignee: personActor(person.id), by: who.name, assigner: who.actor };
      await assign({ id, ...people, wallMs: now.wallMs });
      await reopen.openForOne(row, now, stands.repeatS);
      await notifyOf(row, who.name, person, stands.repeatS, now);
      return { alert: await showAgain(row, now), to: name };
    },
  } satisfies SomeHandlers;
}

/** Returns people by name. Equal names get the first part of the address. */
function toldApart(people: readonly Person[]): ApiSchema<'Assignees'>['people'] {
  const names = people.map(shownName);
  return people
    .map((person, place) => {
      const name = names[place] ?? '';
      const isAmbiguous = names.indexOf(name) !== names.lastIndexOf(name);
      return { id: personIdOf(person.id), name: isAmbiguous ? `${name} (${person.email.split('@')[0]})` : name };
    })
    .sort((a, b) => a.name.localeCompare(b.name));
}
