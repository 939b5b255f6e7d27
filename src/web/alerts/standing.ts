import { isAhead } from '../clock.ts';
import { msOf, type Times, times } from '../format/time.ts';
import { alerts as texts } from '../texts/alerts.ts';

export interface Facts {
  readonly state: 'open' | 'acknowledged' | 'resolved' | 'expired';
  readonly opened_at: string;
  readonly stops_at: string | null;
  readonly reminders: number;
  readonly reminded_at: string | null;
  readonly next_escalation: { readonly at: string; readonly channel_name: string } | null;
  readonly acknowledged_by: string | null;
  readonly acknowledged_at: string | null;
  readonly snoozed_until: string | null;
  readonly snoozed_by: string | null;
  readonly ended_at: string | null;
  readonly ended_by: string | null;
  readonly reopened_by: string | null;
  readonly reopened_at: string | null;
  readonly assigned_to: string | null;
  readonly assigned_by: string | null;
  readonly assigned_at: string | null;
  readonly assigned_until: string | null;
  readonly person_ids: Readonly<Partial<Record<Actor, string>>>;
}

/** The fields that name who acted. */
type Actor = 'acknowledged_by' | 'snoozed_by' | 'ended_by' | 'reopened_by' | 'assigned_to' | 'assigned_by';

export function isLive(alert: Pick<Facts, 'state'> | null): boolean {
  return alert?.state === 'open' || alert?.state === 'acknowledged';
}

/** Tells in sentences who has the alert since when. `own`: the reader's id. */
export function standingOf(alert: Facts, nowMs: number, own: string | null, clock: Times = times): string {
  const at = (timestamp: string | null) => timeOf(timestamp, nowMs, clock);
  const { next_escalation: next, ended_by: by } = alert;
  switch (alert.state) {
    case 'open':
      return [
        [texts.openSince(at(alert.opened_at)), ...(alert.reminders > 0 ? [texts.reminded(alert.reminders)] : [])].join(
          ', ',
        ),
        ...(alert.assigned_until === null
          ? []
          : [texts.assigned(who(alert, 'assigned_to', own), clock.when(msOf(alert.assigned_until), nowMs))]),
        ...(next === null ? [] : [texts.nextChannel(isolated(next.channel_name), clock.when(msOf(next.at), nowMs))]),
      ].join('; ');
    case 'acknowledged':
      return [
        texts.has(who(alert, 'acknowledged_by', own), at(alert.acknowledged_at)),
        ...(alert.snoozed_until === null
          ? []
          : [texts.snoozed(who(alert, 'snoozed_by', own), clock.when(msOf(alert.snoozed_until), nowMs))]),
      ].join(', ');
    case 'resolved':
      return texts.resolved[by ?? ''] ?? texts.resolvedBy(who(alert, 'ended_by', own), at(alert.ended_at));
    case 'expired':
      return by === 'restored'
        ? texts.restored
        : texts.expired(alert.ended_at === null ? '' : clock.when(msOf(alert.ended_at), nowMs));
  }
}

export type Act = 'take' | 'snooze' | 'resolve' | 'reassign' | 'reopen';

export interface Reader {
  /** The id as in alerts; null: not yet known. */
  readonly id: string | null;
  /** Whether the user is an owner or admin. */
  readonly runs: boolean;
}

/** Resolved alerts can be reopened this long. */
const REOPENED_WITHIN_MS = 3_600_000;

type Judged = Pick<Facts, 'state' | 'acknowledged_by' | 'ended_at' | 'person_ids'>;

/** Returns why an action is impossible; null: possible. */
export function whyNot(act: Act, alert: Judged, reader: Reader, nowMs: number): string | null {
  const { state } = alert;
  if (act === 'reopen') return whyNotReopen(alert, nowMs);
  if (act === 'reassign' && isLive(alert)) {
    const isHolder = state === 'acknowledged' && isBy(alert, 'acknowledged_by', reader.id);
    return isHolder || reader.runs ? null : texts.notTheirs;
  }
  if (state === 'open') return null;
  if (state !== 'acknowledged') return texts.over[state];
  return act === 'take' ? texts.hasIt(who(alert, 'acknowledged_by', reader.id)) : null;
}

function whyNotReopen({ state, ended_at }: Judged, nowMs: number): string | null {
  if (state === 'open') return texts.isOpen;
  if (state === 'expired') return texts.over.expired;
  const isLate = state === 'resolved' && ended_at !== null && nowMs - msOf(ended_at) >= REOPENED_WITHIN_MS;
  return isLate ? texts.longOver : null;
}

/** A time, and what happened then or will happen by default. */
interface Step {
  readonly atMs: number;
  readonly text: string;
  readonly isAhead: boolean;
}

export function stepsOf(alert: Facts, nowMs: number, own: string | null): readonly Step[] {
  const { reminders, next_escalation: next, state, ended_by: by } = alert;
  const steps: readonly (readonly [string | null, string])[] = [
    [alert.opened_at, texts.steps.opened],
    [alert.reminded_at, texts.steps.reminded(reminders)],
    [next?.at ?? null, texts.steps.goesOn(isolated(next?.channel_name ?? ''))],
    [alert.acknowledged_at, texts.steps.taken(who(alert, 'acknowledged_by', own))],
    [alert.snoozed_until, texts.steps.opensAgain(who(alert, 'snoozed_by', own))],
    [alert.stops_at, texts.steps.expires],
    [
      alert.ended_at,
      state === 'expired'
        ? texts.steps.expired
        : (texts.resolved[by ?? ''] ?? texts.steps.resolved(who(alert, 'ended_by', own))),
    ],
    [alert.reopened_at, texts.steps.reopened(who(alert, 'reopened_by', own))],
    [alert.assigned_at, texts.steps.reassigned(who(alert, 'assigned_by', own), who(alert, 'assigned_to', own))],
    [alert.assigned_until, texts.steps.forAll],
  ];
  return steps
    .flatMap(([at, text]) => (at === null ? [] : [{ atMs: msOf(at), text, isAhead: isAhead(msOf(at), nowMs) }]))
    .sort((a, b) => a.atMs - b.atMs);
}

/** `03:02`; `yesterday, 23:40`: within a sentence. */
function timeOf(timestamp: string | null, nowMs: number, clock: Times = times): string {
  if (timestamp === null) return '';
  return clock.since(msOf(timestamp), nowMs);
}

/** Returns a name within a sentence; null for the reader, whose name others may share. */
function who<A extends Actor>(alert: Acted<A>, actor: A, own: string | null): string | null {
  return isBy(alert, actor, own) ? null : isolated(alert[actor] ?? texts.someone);
}

function isBy(alert: Pick<Facts, 'person_ids'>, actor: Actor, own: string | null): boolean {
  return own !== null && alert.person_ids[actor] === own;
}

type Acted<A extends Actor> = Pick<Facts, A | 'person_ids'>;

/** Isolates right-to-left names from the sentence around. */
function isolated(name: string): string {
  return /[\u0590-\u08ff\ufb1d-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name;
}

interface Alert {
  readonly id: string;
  readonly title: string;
  readonly state: string;
}

/** Returns the newly open alerts, newest first. */
export function openedSince<A extends Alert>(known: ReadonlySet<string>, alerts: readonly A[]): readonly A[] {
  return openOnes(alerts).filter(({ id }) => !known.has(id));
}

export function openOnes<A extends Alert>(alerts: readonly A[]): readonly A[] {
  return alerts.filter(({ state }) => state === 'open');
}
