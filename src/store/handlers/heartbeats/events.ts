import { v7 } from 'uuid';
import { ownCollapseKey, plainEvent } from '../../../contract/event-body.ts';
import { inWords, scheduleInWords } from '../../../contract/heartbeats.ts';
import type { Moment } from '../../../process/clock.ts';
import { firstCharacters, lastCharacters } from '../../../values/text.ts';
import type { AcceptArgs, Posted } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import { IS_LIVE } from '../alerts/alert-rows.ts';
import { alertEnds } from '../alerts/ends.ts';
import { NOTIFIED, type NotifiedAlert, notifying } from '../alerts/notifying.ts';
import type { EngineDeps } from '../handler.ts';
import type { HeartbeatRow } from './rows.ts';

const NAME_CHARACTERS = 100;
const DESCRIPTION_CHARACTERS = 1_000;
/** Events per subject (`subjectsOf` in reporting.ts) and hour. */
export const MOST_EVENTS = 6;

export type Cause =
  | { readonly kind: 'missed' | 'unended' }
  /** The job's own report. */
  | { readonly kind: 'failed'; readonly exitStatus: number | null };

export type Text = Pick<AcceptArgs, 'title' | 'description' | 'level' | 'urgency' | 'eventType'>;

export function downEvent(row: HeartbeatRow, cause: Cause): Text {
  return failure(row, `${shorten(row.name)} is down`, reasonOf(row, cause), 'heartbeat.down');
}

/** Says that changes are no longer reported singly. */
export function flapsEvent(row: HeartbeatRow, cause: Cause): Text {
  const state = row.state === 'down' ? `It is down now: ${reasonOf(row, cause)}` : 'It is up now.';
  return failure(
    row,
    `${shorten(row.name)} flaps`,
    `It had ${MOST_EVENTS} events within an hour. ${state} It is reported again when it stays up or down for an hour.`,
    'heartbeat.flaps',
  );
}

/** Says that it is down, and that changes of heartbeats with its ping key are held back. */
export function manyEvent(row: HeartbeatRow, cause: Cause): Text {
  const why = `${reasonOf(row, cause)} Heartbeats of one ping key had ${MOST_EVENTS} events within an hour.`;
  const title = `${shorten(row.name)} is down`;
  return failure(row, title, `${why} Further changes are reported if they last an hour.`, 'heartbeat.down');
}

/** Says that it stays down after unreported changes. */
export function stillDownEvent(row: HeartbeatRow): Text {
  const why = 'It is still down. Too much changed within an hour to report every change.';
  return failure(row, `${shorten(row.name)} is down`, why, 'heartbeat.down');
}

export function upEvent(row: HeartbeatRow, description: string): Text {
  return {
    title: `${shorten(row.name)} is up again`,
    description,
    level: 'success',
    urgency: 'standard',
    eventType: 'heartbeat.up',
  };
}

function failure({ lastOutput }: HeartbeatRow, title: string, why: string, eventType: string): Text {
  const description = lastOutput === null ? why : withEndOf(lastOutput, `${why}\n\nOutput:`);
  return { title, description, level: 'error', urgency: 'time_sensitive', eventType };
}

function collapseKeyOf({ slug }: Pick<HeartbeatRow, 'slug'>): string {
  return ownCollapseKey(`heartbeat/${slug}`);
}

/** Posts an event into the heartbeat's channel. Null: inactive, nothing posted. */
export async function post(
  { acceptEvent }: Pick<EngineDeps, 'acceptEvent'>,
  row: HeartbeatRow,
  text: Text,
  now: Moment,
): Promise<Posted | null> {
  const { workspaceId, channel } = row;
  const { links: _, ...blank } = plainEvent(channel, text.title);
  const answer = await acceptEvent(
    {
      ...blank,
      ...text,
      collapseKey: collapseKeyOf(row),
      workspaceId,
      boundKeyId: null,
      uuid: v7({ msecs: now.wallMs }),
      hadLinks: false,
      linksMark: null,
      postedBy: null,
      isOwn: true,
    },
    now,
  );
  return answer.kind === 'accepted' ? { workspaceId, publicId: answer.event.public_id } : null;
}

function reasonOf(row: HeartbeatRow, cause: Cause): string {
  const grace = inWords(row.grace * 1_000);
  switch (cause.kind) {
    case 'missed':
      return `No ping came: one is expected ${scheduleInWords(row)}, or up to ${grace} later.`;
    case 'unended':
      return `A run has started and not reported its end within ${grace}.`;
    case 'failed':
      return [
        cause.exitStatus === null ? 'It reported a failure.' : `It failed with exit status ${cause.exitStatus}.`,
        ...(row.failures > 1 ? [`That makes ${row.failures} failures in a row.`] : []),
      ].join(' ');
  }
}

function withEndOf(output: string, why: string): string {
  const room = DESCRIPTION_CHARACTERS - [...why].length - 1;
  const characters = [...output];
  const end = characters.length <= room ? output : `…${lastCharacters(characters, room - 1).join('')}`;
  return `${why}\n${end}`;
}

function shorten(name: string): string {
  const characters = [...name];
  return characters.length <= NAME_CHARACTERS ? name : `${firstCharacters(characters, NAME_CHARACTERS - 1).join('')}…`;
}

const LIVE = `
  SELECT event_id FROM alert
  WHERE ${IS_LIVE} AND channel_id = CAST(:channelId AS BIGINT) AND collapse_key = CAST(:collapseKey AS TEXT)`;

/** Resolves the alert of a down heartbeat that left its channel: no ping could end it. */
export function leftAlerts(
  sql: Sql,
  deps: Pick<EngineDeps, 'postOwn'>,
): (row: HeartbeatRow, now: Moment) => Promise<void> {
  const live = sql.value<{ channelId: number; collapseKey: string }, number>(LIVE);
  const notified = sql.get<{ id: number }, NotifiedAlert>(`${NOTIFIED} WHERE alert.event_id = CAST(:id AS BIGINT)`);
  const ends = alertEnds(sql);
  const notify = notifying(sql, deps);

  return async (row, now) => {
    const { channelId, downSince } = row;
    const id = downSince === null ? undefined : await live({ channelId, collapseKey: collapseKeyOf(row) });
    if (id === undefined) return;
    if (!(await ends.end({ id, channelId }, 'resolved', { kind: 'sender', name: null, actor: null }, now))) return;
    const alert = await notified({ id });
    if (alert !== undefined) await notify.noticeInOwn(alert, now);
  };
}
