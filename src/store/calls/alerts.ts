/** Alerts of insistent channels: calls of members, integrators and operators, and the server's rounds. */
import type { ApiSchema, QueryOf } from '../../contract/api-types.ts';
import type { Route } from '../../push.ts';
import { call, change } from '../call.ts';
import type { Alert } from '../records.ts';
import type { Refusal } from '../refusal.ts';
import type { Reach } from './serving.ts';

export const ALERT_CALLS = {
  /**
   * Lists alerts, newest first. `before`: the previous page's `next`. A page examines at most 5,000 alerts, so it may
   * be short or empty, and still have a `next`.
   */
  listAlerts: call<AlertAsker & AlertFilter, AlertPage | Refusal>({ reads: true, offThread: true }),
  showAlert: call<AlertAsker & { publicId: string }, { alert: Alert } | Refusal>({ reads: true }),
  /**
   * The first call wins. `acknowledged`: how many this call did, capped at `MOST_COUNTED`. `forS`: the alert opens
   * again afterwards. A later call may set this as well: then it has `snoozed` the alert. `all`: also every open alert
   * of the channel that was opened before. Waiting pushes of these alerts are not sent any more.
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
   * Within `UNDO_MS`, the caller who acted last restores the state before that act. `all`: restores all alerts that the
   * act changed, or is refused. Otherwise an acknowledged alert, or one resolved less than an hour ago, opens again
   * with new timers. `reopened`: how many, at most `MOST_COUNTED`. Everyone but the caller is reminded at once of those
   * that are open.
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
   * Reassigns an alert. Allowed for the person who has the alert, an owner or admin, or an operator. `to`: a name or
   * email address. The alert is open for that person alone during one `repeat`, then for everyone, with new timers.
   */
  reassignAlert: call<
    AlertAsker & { publicId: string; to: string; as?: string },
    { alert: Alert; to: string } | Refusal
  >({
    invalidates: ['alerts', 'queue', 'cleanup'],
    audit: (_, { alert, to }) => change('alert.reassign', alert.workspace, `${describeAlerts(alert)}, to ${to}`),
  }),
  /** Lists up to 200 others to reassign the alert to. */
  listAssignees: call<AlertAsker & { publicId: string }, ApiSchema<'Assignees'> | Refusal>({
    reads: true,
  }),
  /** Expires some alerts that would remind again, by `restored`. `more`: call again. */
  expireAlerts: call<Record<string, never>, { expired: number; more: boolean }>({
    audit: (_, { expired }) => (expired === 0 ? null : change('alert.expire', null, `${expired} that were open`)),
  }),
  countAlerts: call<Record<string, never>, AlertCounts>({ reads: true, offThread: true }),
  /** Returns when `runRound` has something to do. `paused`: routes that send only probes. `turn`: from the last answer. */
  nextRound: call<{ paused?: readonly Route[]; turn?: WatchTurn }, NextRound>({ reads: true, internal: true }),
  /**
   * Sends due reminders, ends expired alerts, and escalates alerts to further channels. All happens in one transaction,
   * so each reminder is made once.
   */
  runRound: call<{ paused?: readonly Route[]; unheardIn?: readonly number[] }, Round>({
    internal: true,
    invalidates: ['queue', 'cleanup'],
    changes: ({ workspaces }) => ({ noun: 'alert', workspaces }),
  }),
};

/** The asker: a member, a key by its reach, else an operator. */
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

type AlertPage = ApiSchema<'AlertList'>;

export interface AlertCounts {
  readonly open: number;
  /** null: none is open. */
  readonly oldest_opened_at: string | null;
}

/** A person may undo an action on an alert for this time. */
export const UNDO_MS = 60_000;

/** Bounds counts of alerts: a storm may open very many. */
export const MOST_COUNTED = 500;

export function alertsInWords(count: number): string {
  return `${count < MOST_COUNTED ? count : `${count}+`} alert${count === 1 ? '' : 's'}`;
}

/**
 * `inMs` null: nothing waits for its time. `soonestMs`: how soon a new alert may be due; null: no channel insists.
 * `unheardIn`: channels whose alerts may no longer ring for one person alone, for the round.
 */
export interface NextRound {
  readonly inMs: number | null;
  readonly soonestMs: number | null;
  readonly unheardIn?: readonly number[];
  readonly turn?: WatchTurn;
}

/** How far looks at pushes to people on call have come, by internal ids. */
export interface WatchTurn {
  readonly workspace: number;
  /** The last channel of each workspace that has further ones. */
  readonly channels: readonly (readonly [workspace: number, channel: number])[];
}

/**
 * The ways in which an alert can end. Nobody took it in time. Or it was resolved: by an event of its sender, by who
 * took it, or by its channel, which insists no more. Or it was acknowledged, and nothing has happened since.
 */
export const ALERT_ENDS = ['expired', 'sender', 'member', 'key', 'operator', 'channel', 'idle'] as const;
export type AlertEnd = (typeof ALERT_ENDS)[number];

/**
 * `ended`: alerts by how they ended, each in one round only. `workspaces`: those whose alerts changed, by internal id.
 */
export interface Round {
  readonly reminders: number;
  readonly ended: Readonly<Partial<Record<AlertEnd, number>>>;
  readonly workspaces: readonly number[];
}

function describeAlerts({ id, channel }: Alert, count = 1): string {
  return count > 1 ? `${alertsInWords(count)} of ${channel}, up to ${id}` : `${id} of ${channel}`;
}
