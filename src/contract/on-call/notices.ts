/** Texts of pushes to people about their time on call, with times on the rota's clock. */
import type { Moved } from './moved.ts';

/** A push to one person. `expiresInS`: how long it is worth sending; null: the operator's default. */
export interface OnCallNotice {
  readonly person: number;
  readonly title: string;
  readonly description: string;
  readonly expiresInS: number | null;
}

interface NamedRota {
  readonly name: string;
  readonly timezone: string;
}
/** Names a person; null: nobody. */
type NameOf = (person: number | null) => string;

/** A change of the person on call. null: nobody. */
export interface HandedOver {
  readonly off: number | null;
  readonly on: number | null;
  readonly fromMs: number;
  /** null: without an end. */
  readonly untilMs: number | null;
  /** The override that put the person on call. */
  readonly override: number | null;
}

/** Changes are announced so far ahead. */
export const ANNOUNCED_AHEAD_MS = 30 * 86_400_000;
const WEEK_MS = 7 * 86_400_000;
const SHORTEST_LIFE_S = 60;
const MOST_LINES = 5;

/** Returns the pushes to who comes on call and who goes off. A rota of one person has no handovers. */
export function handoverNotices(
  rota: NamedRota,
  { off, on, untilMs }: HandedOver,
  openAlerts: number,
  nameOf: NameOf,
  nowMs: number,
): readonly OnCallNotice[] {
  if (off === null && untilMs === null) return [];
  const until = untilMs === null ? '' : ` until ${timeInWords(untilMs, rota.timezone, nowMs)} ${placeOf(rota)}`;
  const open = openAlerts === 0 ? '' : `, ${openAlerts} open ${openAlerts === 1 ? 'alert' : 'alerts'}`;
  const notices: OnCallNotice[] = [];
  if (on !== null) {
    const title = `You are on call for ${rota.name}${until}${open}`;
    const expiresInS = untilMs === null ? null : Math.max(SHORTEST_LIFE_S, Math.floor((untilMs - nowMs) / 1_000));
    notices.push({ person: on, title, description: `${nameOf(off)} was on call before.`, expiresInS });
  }
  if (off !== null) {
    const title = `You are no longer on call for ${rota.name}`;
    notices.push({ person: off, title, description: `${nameOf(on)} is on call${until}.`, expiresInS: null });
  }
  return notices;
}

/** Returns a push to each person whose time moved, except one. Time that begins now is left to the handover's pushes. */
export function movedNotices(
  rota: NamedRota,
  moved: readonly Moved[],
  { author, by }: { readonly author: number | null; readonly by: string },
  nameOf: NameOf,
  nowMs: number,
): readonly OnCallNotice[] {
  const later = moved.filter(({ fromMs }) => fromMs > nowMs);
  const people = new Set(later.flatMap(({ before, after }) => [before, after]).filter((person) => person !== null));
  people.delete(author ?? 0);
  return [...people].map((person) => {
    const own = later.filter(({ before, after }) => before === person || after === person);
    const lines = own.slice(0, MOST_LINES).map((shift) => movedLine(rota, shift, person, nameOf, nowMs));
    const more = own.length > MOST_LINES ? [`And ${own.length - MOST_LINES} more.`] : [];
    const description = [...lines, ...more, `Changed by ${by}.`].join('\n');
    return { person, title: `Your time on call for ${rota.name} has changed`, description, expiresInS: null };
  });
}

/** Returns a push to each owner and admin about a member who left the workspace and so the rota. */
export function leftNotices(
  rota: NamedRota,
  name: string,
  managers: readonly number[],
  onCall: string,
): readonly OnCallNotice[] {
  const title = `${name} is no longer in the rota ${rota.name}`;
  const description = `${name} has left the workspace. ${onCall} is on call now.`;
  return managers.map((person) => ({ person, title, description, expiresInS: null }));
}

/** Returns `Mon 15 Feb 09:00 to Mon 22 Feb 09:00 (Berlin): you instead of Bob`. */
function movedLine(rota: NamedRota, shift: Moved, person: number, nameOf: NameOf, nowMs: number): string {
  const { fromMs, untilMs, before, after } = shift;
  const you = (of: number | null, nobody: string) => (of === person ? 'you' : of === null ? nobody : nameOf(of));
  const from = dateInWords(fromMs, rota.timezone);
  // Later time is cut.
  const isCut = untilMs >= nowMs + ANNOUNCED_AHEAD_MS;
  const time = isCut ? `From ${from}` : `${from} to ${dateInWords(untilMs, rota.timezone)}`;
  return `${time} ${placeOf(rota)}: ${you(after, 'nobody')} instead of ${you(before, 'nobody')}`;
}

/** Returns `Mon 09:00`, or further ahead than a week `Mon 22 Feb 09:00`. */
function timeInWords(atMs: number, timezone: string, nowMs: number): string {
  if (atMs - nowMs > WEEK_MS) return dateInWords(atMs, timezone);
  const { weekday, hour, minute } = partsAt(atMs, timezone);
  return `${weekday} ${hour}:${minute}`;
}

function dateInWords(atMs: number, timezone: string): string {
  const { weekday, day, month, hour, minute } = partsAt(atMs, timezone);
  return `${weekday} ${day} ${month} ${hour}:${minute}`;
}

function partsAt(atMs: number, timezone: string): Readonly<Record<string, string>> {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  return Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
}

/** Returns `(Berlin)`, the zone's name. */
function placeOf({ timezone }: NamedRota): string {
  return `(${timezone.split('/').at(-1)?.replaceAll('_', ' ')})`;
}
