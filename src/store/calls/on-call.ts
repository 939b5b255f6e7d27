/** Calls about rotas, their overrides and shifts, and calendars of people on call. */
import type { ApiSchema, BodyOf } from '../../contract/api-types.ts';
import type { CalendarShift } from '../../contract/on-call/calendar.ts';
import type { OnCallShift, ShownOverride, ShownRota } from '../../contract/on-call/plan.ts';
import { call, change, type Topic } from '../call.ts';
import type { Refusal } from '../refusal.ts';
import type { Reach } from './serving.ts';

/** Handovers may be due, or notices of a change. */
const CHANGED: readonly Topic[] = ['on_call'];

/** A calendar's address: SHA-256 of its secret, hex. */
interface CalendarSecret {
  readonly secretHash: string;
}

/** A rota after a change. `moved`: with `preview` only, where it was not changed. */
export type RotaAnswer = ApiSchema<'RotaAnswer'>;
export type OnCallStatus = ApiSchema<'OnCallStatus'>;

interface NamedRota {
  readonly workspace: string;
  readonly slug: string;
}
/** `userId`: a member; absent: an operator. */
interface ByMember extends NamedRota {
  readonly userId?: number;
}

export const ON_CALL_CALLS = {
  /** Lists rotas by slug, for operators and members. */
  listRotas: call<{ workspace: string; userId?: number }, readonly ShownRota[] | Refusal>({ reads: true }),
  showRota: call<ByMember, ShownRota | Refusal>({ reads: true }),
  createRota: call<RotaRequest, (RotaAnswer & { created: boolean }) | Refusal>({
    invalidates: CHANGED,
    audit: ({ workspace, slug, preview }) => (preview === true ? null : change('rota.add', workspace, slug)),
  }),
  /** Absent fields stay. The person on call stays, except if `onCall` names another member or the list leaves them out. */
  updateRota: call<RotaChangeRequest, RotaAnswer | Refusal>({
    invalidates: CHANGED,
    audit: ({ workspace, slug, preview, ...asked }) =>
      preview === true ? null : change('rota.change', workspace, changeInWords(slug, asked)),
  }),
  deleteRota: call<NamedRota & { preview?: boolean }, RotaAnswer | Refusal>({
    invalidates: CHANGED,
    audit: ({ workspace, slug, preview }) => (preview === true ? null : change('rota.delete', workspace, slug)),
  }),
  /** Shifts of at most 92 days, cut at both ends. */
  listShifts: call<ByMember & { fromMs?: number; untilMs?: number }, readonly OnCallShift[] | Refusal>({
    reads: true,
    offThread: true,
  }),
  /** Members take any time, and hand over their own. */
  addOverride: call<ByMember & { member: string; fromMs?: number; untilMs?: number }, ShownOverride | Refusal>({
    invalidates: CHANGED,
    audit: ({ workspace, slug }, override) => change('rota.override', workspace, inWords(slug, override)),
  }),
  /** Ends a current override now, and removes a future one. */
  endOverride: call<ByMember & { id: string }, ShownOverride | Refusal>({
    invalidates: CHANGED,
    audit: ({ workspace, slug }, override) => change('rota.override-end', workspace, inWords(slug, override)),
  }),
  /** Lists who is on call, for a person, a key or (one workspace or all) an operator. */
  listOnCall: call<{ userId: number } | Reach | { workspace?: string }, readonly OnCallStatus[] | Refusal>({
    reads: true,
    offThread: true,
  }),
  /** Returns the ms until `handOver` has something to do; null: no rota has a handover. */
  nextHandover: call<Record<string, never>, { inMs: number | null }>({ reads: true, internal: true }),
  /** Records due handovers, and posts pushes about them and about changes. */
  handOver: call<Record<string, never>, { workspaces: readonly number[] }>({
    internal: true,
    invalidates: ['queue'],
    changes: ({ workspaces }) => ({ noun: 'rota', workspaces }),
  }),
  /** Makes a person's calendar address, in place of an earlier one. */
  makeCalendar: call<CalendarSecret & { userId: number }, { email: string } | Refusal>({
    internal: true,
    audit: (_, { email }) => change('calendar.add', null, email),
  }),
  endCalendar: call<{ userId: number }, { email: string; ended: boolean } | Refusal>({
    internal: true,
    audit: (_, { email, ended }) => (ended ? change('calendar.remove', null, email) : null),
  }),
  /** Reads own shifts, or those of everyone. null: no such address. */
  readCalendar: call<CalendarSecret & { everyone: boolean }, { shifts: readonly CalendarShift[] } | null>({
    reads: true,
    internal: true,
    offThread: true,
  }),
};

export type RotaRequest = BodyOf<'createRota'> & { workspace: string; preview?: boolean };
export type RotaChangeRequest = BodyOf<'updateRota'> & NamedRota & { preview?: boolean };

function inWords(slug: string, { person, from, until }: ShownOverride): string {
  return `${slug}: ${person.email}, ${from} – ${until}`;
}

/** Returns `payments: handover, on_call bob@example.com`. */
function changeInWords(slug: string, { onCall, startsOn, ...asked }: Omit<RotaChangeRequest, keyof NamedRota>): string {
  const corrected = onCall === undefined ? [] : [`on_call ${onCall}`];
  const fields = [...Object.keys(asked), ...(startsOn === undefined ? [] : ['starts_on']), ...corrected];
  return `${slug}: ${fields.join(', ')}`;
}
