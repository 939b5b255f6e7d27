import type { Schema } from '../api/client.ts';
import { locale } from '../format/locale.ts';
import { msOf, Times, times } from '../format/time.ts';
import { wallTime, zoneHere } from '../format/wall-clock.ts';
import { onCall as texts } from '../texts/alerts.ts';

type Status = Pick<Schema<'Rota'>, 'on_call' | 'until' | 'next'>;

/** Says who is on call, until when, and who is next. */
export function statusWords({ on_call: person, until, next }: Status, nowMs: number): string {
  const end = until === null ? null : times.since(msOf(until), nowMs);
  const then = next === null ? '' : ` ${texts.next(next.name)}`;
  if (person === null) return (end === null ? texts.nobody : texts.nobodyUntil(end)) + then;
  return (end === null ? texts.always(person.name) : texts.now(person.name, end)) + then;
}

const IN_ZONES = new Map<string, Times>();

function timesIn(zone: string): Times {
  const known = IN_ZONES.get(zone) ?? new Times(locale, zone);
  IN_ZONES.set(zone, known);
  return known;
}

/** Formats a time on call in the reader's zone, with the rota's beside it if their clocks differ. */
export function spanWords(fromMs: number, untilMs: number, zone: string, nowMs: number): string {
  const inZone = (clock: Times) => texts.span(clock.since(fromMs, nowMs), clock.since(untilMs, nowMs));
  const here = inZone(times);
  const isSame = [fromMs, untilMs].every((ms) => wallTime(new Date(ms), zone) === wallTime(new Date(ms), zoneHere));
  return isSame ? here : `${here} · ${texts.inZone(inZone(timesIn(zone)), zone)}`;
}
