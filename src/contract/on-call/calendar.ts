/** Calendars of shifts (RFC 5545), and the secret in their address. */
import { secretTokens } from '../secret-token.ts';

/** The only right of a calendar's secret is to read shifts. */
export const { create: createCalendarSecret, parse: parseCalendarSecret } = secretTokens('pcal_');

/** A shift in a calendar. `name`: of the person, if others' shifts are there, too. */
export interface CalendarShift {
  readonly workspace: string;
  readonly rota: string;
  readonly rotaName: string;
  readonly name: string | null;
  readonly fromMs: number;
  readonly untilMs: number;
}

const MOST_OCTETS = 75;

/** Returns a calendar. A shift has the same `UID` in each. */
export function calendarText(shifts: readonly CalendarShift[], nowMs: number): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//pushctl//On call//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    'X-WR-CALNAME:On call',
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...shifts.flatMap((shift) => eventOf(shift, nowMs)),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

function eventOf({ workspace, rota, rotaName, name, fromMs, untilMs }: CalendarShift, nowMs: number): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${escaped(`${inUtc(fromMs)}.${rota}.${workspace}@pushctl`)}`,
    `DTSTAMP:${inUtc(nowMs)}`,
    `DTSTART:${inUtc(fromMs)}`,
    `DTEND:${inUtc(untilMs)}`,
    `SUMMARY:${escaped(name === null ? `On call: ${rotaName}` : `${name} is on call: ${rotaName}`)}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** `20270208T080000Z` */
function inUtc(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\;,]/g, '\\$&').replaceAll(/\r?\n/g, '\\n');
}

/** Breaks a line after 75 octets at most, never within a character. */
function folded(line: string): string {
  let [octets, text] = [0, ''];
  for (const character of line) {
    const length = Buffer.byteLength(character);
    if (octets + length > MOST_OCTETS) {
      text += '\r\n ';
      octets = 1;
    }
    text += character;
    octets += length;
  }
  return text;
}
