import { locale } from '../format/locale.ts';
import { Times, times } from '../format/time.ts';
import { wallTime, zoneHere } from '../format/wall-clock.ts';
import { rotas as texts } from '../texts/channels.ts';

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
