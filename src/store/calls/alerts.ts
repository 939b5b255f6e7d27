/** Alerts of channels that insist: what members, integrators and operators ask about them, and the rounds of the server. */
import type { ApiSchema, QueryOf } from '../../contract/api-types.ts';
import { call, change } from '../call.ts';
import type { Alert } from '../records.ts';
import type { Refusal } from '../refusal.ts';
import type { Reach } from './serving.ts';

export const ALERT_CALLS = {
  /**
   * The newest first. `before`: the `next` of the page before. A page looks at 5,000 alerts at most, so it may have fewer
   * than `limit`, or none, and a `next`.
   */
  listAlerts: call<AlertAsker & AlertFilter, AlertPage | Refusal>({ reads: true, offThread: true }),
  /** The alert that an event belongs to. */
  showAlert: call<AlertAsker & { publicId: string }, { alert: Alert } | Refusal>({ reads: true }),
  /**
   * The first wins; `acknowledged`: how many this call did, `MOST_COUNTED` also where they are more. `forS`: then it opens
   * again, which a later call may set as well: then it has `snoozed` it. `all`: also every open alert of the channel that
   * was opened before it. What waits of them is not sent any more.
   */
  acknowledgeAlert: call<
    AlertAsker & { publicId: string; forS?: number; all?: boolean; as?: string },
    { alert: Alert; acknowledged: number; snoozed: boolean } | Refusal
  >({
    invalidates: ['queue', 'cleanup'],
    audit: (_, { alert, acknowledged, snoozed }) => {
      if (acknowledged > 0) return change('alert.acknowledge', alert.workspace, describeAlerts(alert, acknowledged));
      return snoozed ? change('alert.snooze', alert.workspace, describeAlerts(alert)) : null;
    },
  }),
  /** `resolved`: by this call. */
  resolveAlert: call<AlertAsker & { publicId: string; as?: string }, { alert: Alert; resolved: boolean } | Refusal>({
    invalidates: ['queue', 'cleanup'],
    audit: (_, { alert, resolved }) =>
      resolved ? change('alert.resolve', alert.workspace, describeAlerts(alert)) : null,
  }),
  /**
   * Within `UNDO_MS` the caller who acted last restores the state before that; `all`: of all alerts that the act has changed,
   * or the call is refused. Else an acknowledged alert, or one resolved less than an hour ago, is open again with new
   * timers. `reopened`: how many, up to `MOST_COUNTED`. Everyone but the caller is reminded at once of those that are open.
   */
  reopenAlert: call<
    AlertAsker & { publicId: string; all?: boolean; as?: string },
    { alert: Alert; reopened: number } | Refusal
  >({
    invalidates: ['alerts', 'queue', 'cleanup'],
    audit: (_, { alert, reopened }) =>
      reopened > 0 ? change('alert.reopen', alert.workspace, describeAlerts(alert, reopened)) : null,
  }),
  /**
   * Reassigns an alert. Allowed for the person who has the alert, an owner or admin, or an operator. `to`: a name or an
   * email address. The alert is open for that person alone during one `repeat`, then for everyone, with new timers.
   */
  reassignAlert: call<
    AlertAsker & { publicId: string; to: string; as?: string },
    { alert: Alert; to: string } | Refusal
  >({
    invalidates: ['alerts', 'queue', 'cleanup'],
    audit: (_, { alert, to }) => change('alert.reassign', alert.workspace, `${describeAlerts(alert)}, to ${to}`),
  }),
  /** Other people that the alert can be reassigned to, up to 200. */
  listAssignees: call<AlertAsker & { publicId: string }, ApiSchema<'Assignees'> | Refusal>({
    reads: true,
  }),
  /** Some of the alerts that would remind of themselves expire, by `restored`. `more`: call again. */
  expireAlerts: call<Record<string, never>, { expired: number; more: boolean }>({
    audit: (_, { expired }) => (expired === 0 ? null : change('alert.expire', null, `${expired} that were open`)),
  }),
  countAlerts: call<Record<string, never>, AlertCounts>({ reads: true, offThread: true }),
  /** When there is something to do for `runRound`. */
  nextRound: call<Record<string, never>, NextRound>({ reads: true, internal: true }),
  /**
   * Sends due reminders, ends alerts at the end of their life, and escalates alerts to further channels. All in one
   * transaction, so each reminder is made once.
   */
  runRound: call<Record<string, never>, Round>({
    internal: true,
    invalidates: ['queue', 'cleanup'],
    changes: ({ workspaces }) => ({ noun: 'alert', workspaces }),
  }),
};

/** The asker: a member, a key by its reach, or without both an operator. */
export interface AlertAsker {
  readonly userId?: number;
  readonly reach?: Reach;
}

export const ALERT_FILTERS = ['open', 'acknowledged', 'live', 'ended'] as const;
/** `live`: open or acknowledged. */
export interface AlertFilter extends Omit<QueryOf<'listAlerts'>, 'limit'> {
  readonly collapseKey?: string;
  readonly limit: number;
}

export type AlertPage = ApiSchema<'AlertList'>;

export interface AlertCounts {
  readonly open: number;
  /** null: none is open. */
  readonly oldest_opened_at: string | null;
}

/** A person may undo an action on an alert for this time. */
export const UNDO_MS = 60_000;

/** Alerts are counted up to so many: a storm may open very many. */
export const MOST_COUNTED = 500;

export function alertsInWords(count: number): string {
  return `${count < MOST_COUNTED ? count : `${count}+`} alert${count === 1 ? '' : 's'}`;
}

/** `inMs` null: nothing waits for its time. `insists`: whether any channel does. */
export interface NextRound {
  readonly inMs: number | null;
  readonly insists: boolean;
}

/**
 * How an alert can end: no one has taken it in its time, or it is resolved, by an event of its sender, by who took it, by
 * its channel, which insists no more, or as it was acknowledged and nothing has happened since.
 */
export const ALERT_ENDS = ['expired', 'sender', 'member', 'key', 'operator', 'channel', 'idle'] as const;
export type AlertEnd = (typeof ALERT_ENDS)[number];

/** `ended`: alerts by how they have, each in one round. `workspaces`: whose alerts it has changed, by internal id. */
export interface Round {
  readonly reminders: number;
  readonly ended: Readonly<Partial<Record<AlertEnd, number>>>;
  readonly workspaces: readonly number[];
}

function describeAlerts({ id, channel }: Alert, count = 1): string {
  return count > 1 ? `${alertsInWords(count)} of ${channel}, up to ${id}` : `${id} of ${channel}`;
}
