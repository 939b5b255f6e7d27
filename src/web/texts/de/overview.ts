import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../overview.ts';

const events = (count: number) => `${whole(count)} ${plural(count, 'Ereignis', 'Ereignisse')}`;
const pushes = (count: number) => `${whole(count)} ${plural(count, 'Push', 'Pushes')}`;

export const texts: Translation<typeof english> = {
  title: 'Übersicht',
  rename: {
    open: 'Arbeitsbereich umbenennen',
    title: (name) => `${name} umbenennen`,
    name: 'Name',
    hint: (slug) => `Angezeigter Name. Programme verwenden weiter das Kürzel ${slug}.`,
  },
  period: 'Zeitraum',
  periods: { '24h': 'Letzte 24 Stunden', '7d': 'Letzte 7 Tage', '30d': 'Letzte 30 Tage', '365d': 'Letzte 12 Monate' },
  within: {
    '24h': 'in den letzten 24 Stunden',
    '7d': 'in den letzten 7 Tagen',
    '30d': 'in den letzten 30 Tagen',
    '365d': 'in den letzten 12 Monaten',
  },
  stopped: {
    events: 'Der Server nimmt gerade keine Ereignisse an.',
    deliveries: 'Pushes sind fällig, aber seit einer Minute ist keiner hinausgegangen.',
  },
  state: {
    stoppedAdvice: 'Um die Ursache zu sehen, führen Sie auf dem Server pushctl status aus.',
    suspended: (workspace) =>
      `${workspace} ist gesperrt: Ereignisse werden nicht angenommen, und Pushes in der Warteschlange warten.`,
    suspendedAdvice: 'Um die Sperre aufzuheben, führen Sie auf dem Server pushctl workspace activate aus.',
    paused: (route, since) => `${route} ist angehalten, seit ${since}.`,
    pausedMany: (count) => `${whole(count)} Routen sind angehalten.`,
    wait: (count) => `${pushes(count)} ${plural(count, 'wartet', 'warten')}.`,
    pausedAdvice: 'Wartende Pushes werden von selbst gesendet, sobald die Route wieder offen ist.',
    exhausted: (resets) => `Das Kontingent dieses Monats ist verbraucht: Ereignisse werden abgewiesen bis ${resets}.`,
    exhaustedAdvice: 'Um es zu erhöhen, führen Sie auf dem Server pushctl workspace set-plan aus.',
    runsOut: (when) => `Bei diesem Tempo ist das Kontingent dieses Monats am ${when} verbraucht.`,
    runsOutAdvice: 'Senden Sie weniger, oder bitten Sie den Betreiber des Servers, es zu erhöhen.',
    failed: (count) => `${pushes(count)} ${plural(count, 'ist', 'sind')} fehlgeschlagen.`,
    expired: (count) => `${pushes(count)} ${plural(count, 'ist', 'sind')} vor dem Senden abgelaufen.`,
    gone: (count) =>
      `${whole(count)} ${plural(count, 'Gerät ist', 'Geräte sind')} nicht mehr registriert und ${plural(count, 'hat seinen Push', 'haben ihre Pushes')} nicht bekommen.`,
    goneAdvice:
      'Ein solches Gerät bekommt nichts, bis jemand seine App oder seinen Browser öffnet und es so neu registriert.',
    asleep: (count) =>
      `${whole(count)} ${plural(count, 'Person eines Bereitschaftsplans kann', 'Personen aus Bereitschaftsplänen können')} von den Alarmen eines Kanals nicht geweckt werden.`,
    asleepAdvice: 'Bitten Sie jede Person, den Kanal auf einem Gerät zu abonnieren und nicht stummzuschalten.',
    silent: (count) =>
      `${whole(count)} ${plural(count, 'Gerät nimmt Pushes an, zeigt', 'Geräte nehmen Pushes an, zeigen')} sie aber nicht mehr.`,
    silentAdvice:
      'Bitten Sie das Mitglied, auf dem Gerät die App zu öffnen und einen Test zu senden. Erscheint nichts, muss das Gerät neu hinzugefügt werden.',
    failedAdvice: 'Unten steht, was jeder Grund bedeutet und was zu tun ist.',
    nothing: (within) => `Es wurde ${within} nichts gesendet.`,
    nothingAdvice:
      'Senden Sie zum Ausprobieren ein Ereignis von Hand, oder stellen Sie einen API-Schlüssel aus und verwenden Sie seinen Befehl.',
    noDevice: (count) =>
      `${events(count)} ${plural(count, 'kam', 'kamen')} herein, aber kein Gerät hatte den Kanal abonniert.`,
    noDeviceAdvice: 'Laden Sie Mitglieder ein, und bitten Sie sie, mit ihren Geräten Kanäle zu abonnieren.',
    good: (eventCount, accepted, within) =>
      `Alles läuft: ${events(eventCount)}, ${pushes(accepted)} angenommen ${within}.`,
    goodAdvice: 'Es ist nichts zu tun.',
  },
  see: {
    failures: 'Die Gründe zeigen',
    notShowing: 'Die Geräte zeigen',
    unreachable: 'Die Personen zeigen',
    inactive: 'Inaktive Geräte zeigen',
  },
  figures: {
    events: 'Ereignisse',
    accepted: 'Pushes angenommen',
    waiting: 'warten gerade',
    failed: 'fehlgeschlagen',
    latency: '99 % angenommen innerhalb',
    ofAllowance: (allowance, forecast) =>
      `von ${whole(allowance)} Ereignissen dieses Monats; bis zum Ende etwa ${whole(forecast)}`,
    unlimited: (forecast) => `Ereignisse in diesem Monat; bis zum Ende etwa ${whole(forecast)}`,
  },
  plots: {
    hour: { events: 'Ereignisse je Stunde', pushes: 'Pushes je Stunde' },
    day: { events: 'Ereignisse je Tag', pushes: 'Pushes je Tag' },
    label: (title) => `${title}. Die Tabelle darunter hat dieselben Zahlen.`,
    table: 'Dieselben Zahlen als Tabelle',
    point: (when, values) => `${when}: ${values}`,
    events,
    pushes: (accepted, others) => `${whole(accepted)} angenommen, ${whole(others)} nicht`,
    hourHead: 'Stunde',
    dayHead: 'Tag (UTC)',
  },
  heads: {
    events: 'Ereignisse',
    accepted: 'Angenommen',
    failed: 'Fehlgeschlagen',
    unregistered: 'Abgemeldet',
    expired: 'Abgelaufen',
    withdrawn: 'Zurückgezogen',
    waiting: 'Wartend',
    latency: 'p99',
    route: 'Route',
    state: 'Zustand',
    reason: 'Grund',
    means: 'Bedeutung und Abhilfe',
    pushes: 'Pushes',
    last: 'Zuletzt',
    channel: 'Kanal',
  },
  routesTitle: 'Routen',
  open: 'offen',
  pausedSince: (when) => `angehalten seit ${when}`,
  failuresTitle: 'Letzte Fehlschläge',
  unknownReason: 'Die Dokumentation des Anbieters nennt ihn nicht.',
  allFailures: (count) => `Alle ${whole(count)} Gründe anzeigen`,
  unreachableTitle: 'In Bereitschaft, aber nicht erreichbar',
  moreUnreachable: (count) => `${whole(count)} weitere ${plural(count, 'ist', 'sind')} nicht erreichbar.`,
  notShowingTitle: 'Geräte, die nichts anzeigen',
  moreNotShowing: (count) =>
    `${whole(count)} ${plural(count, 'weiteres Gerät zeigt', 'weitere Geräte zeigen')} nichts an.`,
  channelsTitle: 'Nach Kanal',
  allChannels: (count) => `Alle ${whole(count)} Kanäle anzeigen`,
  loading: 'Die Übersicht wird geladen',
  routes: {
    apns_production: 'Apple (Produktion)',
    apns_sandbox: 'Apple (Sandbox)',
    fcm: 'Google (FCM)',
    webpush_google: 'Web Push, Google',
    webpush_mozilla: 'Web Push, Mozilla',
    webpush_apple: 'Web Push, Apple',
    webpush_microsoft: 'Web Push, Microsoft',
    webpush_other: 'Web Push, andere',
  },
};
