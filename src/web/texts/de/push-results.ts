import { listed } from '../../format/list.ts';
import { whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type * as english from '../push-results.ts';

export const results: Readonly<Record<keyof typeof english.results, string>> = {
  accepted: 'angenommen',
  quiet: 'angenommen, ohne Ton',
  not_on_call: 'angenommen, ohne Ton: nicht in Bereitschaft',
  waiting: 'wartet',
  route_paused: 'Route angehalten',
  workspace_suspended: 'Arbeitsbereich gesperrt',
  held: 'in Quarantäne',
  set_aside: 'wegen eines Fehlers zurückgehalten',
  refused: 'abgelehnt',
  expired: 'ungesendet abgelaufen',
  inactive: 'inaktiv',
  muted: 'stummgeschaltet',
  own_act: 'ausgelassen: eigene Handlung',
  cancelled: 'Ereignis zurückgenommen',
  restored: 'durch eine Wiederherstellung beendet',
  gone: 'vor dem Senden ausgeschieden',
  joined_later: 'später beigetreten',
  subscribed_later: 'später eingetragen',
  not_subscribed: 'nicht eingetragen, soweit bekannt',
  not_for_it: 'nur für andere Geräte',
  no_provider: 'Anbieter nicht eingerichtet',
  unknown: 'unbekannt',
  no_device: 'kein Gerät',
};

export const texts: Translation<typeof english.texts> = {
  title: 'Warum hat jemand es nicht bekommen?',
  member: 'Mitglied',
  hint: 'Geben Sie den Anfang eines Namens oder einer E-Mail-Adresse ein.',
  show: 'Anzeigen',
  label: (who) => `Geräte von ${who}`,
  until: (what, when) => `${what} bis ${when}`,
  below: (what, level) => `${what} unter ${level}`,
  noDevice: (who) => `${who} hat kein Gerät. Deshalb kommt kein Push an.`,
  untried: 'Nie gesendet',
  counts: (counts) => listed(counts.map(([devices, what]) => `${whole(devices)} ${what}`)),
  recent: 'Neueste Ereignisse der Kanäle',
  noEvents: 'Es gibt keine. Die Geräte sind in keinem Kanal mit Ereignissen eingetragen.',
};
