import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CalendarShift,
  calendarText,
  createCalendarSecret,
  parseCalendarSecret,
} from '../../../src/contract/on-call/calendar.ts';
import { isLikeSecret } from '../../../src/contract/secret-token.ts';

const NOW_MS = Date.parse('2027-02-10T11:00Z');
const SHIFT: CalendarShift = {
  workspace: 'acme',
  rota: 'payments',
  rotaName: 'Payments; cards, refunds \\ "more"\nand so on',
  name: null,
  fromMs: Date.parse('2027-02-22T08:00Z'),
  untilMs: Date.parse('2027-03-01T08:00Z'),
};

/** The lines as a calendar program reads them. */
function unfolded(text: string): readonly string[] {
  return text.replaceAll('\r\n ', '').split('\r\n');
}

test('a shift is an event in UTC that blocks no time, with the same id in each calendar', () => {
  const text = calendarText([SHIFT], NOW_MS);
  const lines = unfolded(text);
  assert.is(lines.at(-1), '');
  assert.equal(lines.slice(0, 3), ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//pushctl//On call//EN']);
  const event = lines.slice(lines.indexOf('BEGIN:VEVENT'), lines.indexOf('END:VEVENT') + 1);
  assert.equal(event, [
    'BEGIN:VEVENT',
    'UID:20270222T080000Z.payments.acme@pushctl',
    'DTSTAMP:20270210T110000Z',
    'DTSTART:20270222T080000Z',
    'DTEND:20270301T080000Z',
    'SUMMARY:On call: Payments\\; cards\\, refunds \\\\ "more"\\nand so on',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]);
  const uidOf = (shown: string) => unfolded(shown).find((line) => line.startsWith('UID:'));
  assert.is(uidOf(calendarText([{ ...SHIFT, name: 'Bob', untilMs: NOW_MS }], 0)), uidOf(text));
});

test('a long line is folded at 75 octets, and no character is cut', () => {
  const rotaName = '🚀ünïcödé 漢字 '.repeat(20);
  const text = calendarText([{ ...SHIFT, rotaName, name: 'Zoë' }], NOW_MS);
  for (const line of text.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line);
  assert.not.match(text, '\uFFFD');
  assert.ok(unfolded(text).includes(`SUMMARY:Zoë is on call: ${rotaName}`));
  assert.not.match(text.replaceAll('\r\n', ''), '\n');
});

test('the secret of an address is known by its hash, and is like a secret', () => {
  const { text, tokenHash } = createCalendarSecret(() => new Uint8Array(32).fill(7));
  assert.is(parseCalendarSecret(text), tokenHash);
  assert.is(parseCalendarSecret(text.slice(1)), null);
  assert.ok(isLikeSecret(text));
});

test.run();
