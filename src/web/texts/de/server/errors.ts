import type { ShownCode } from '../../../../contract/sentences.ts';
import type { Schema } from '../../../api/client.ts';

const FULL = 'mehr darf er nicht haben.';
const NAME = 'Buchstaben, Ziffern, Punkte, Binde- und Unterstriche, am Anfang ein Buchstabe oder eine Ziffer.';
const CHANGED = 'Ihre letzte Aktion ist mehr als eine Minute her, oder jemand hat den Alarm inzwischen geändert';

/** The server's errors by code; `{name}`: a parameter. */
export const ERRORS: Readonly<Record<ShownCode, string>> = {
  // Errors of the API.
  invalid_request: 'Die Anfrage ist ungültig.',
  unauthenticated: 'Der API-Schlüssel fehlt oder ist ungültig.',
  not_signed_in: 'Sie sind nicht angemeldet, oder Ihre Sitzung ist beendet.',
  wrong_password: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
  confirm_identity: 'Bestätigen Sie Ihre Identität mit dem Passwort oder einem neuen Kopplungscode.',
  wrong_passkey: 'Der Passkey ist hier nicht bekannt, oder seine Antwort ist falsch, verbraucht oder zu alt.',
  wrong_pairing_code: 'Der Kopplungscode ist falsch, verbraucht oder zu alt.',
  wrong_device_token: 'Das Token des Geräts fehlt oder ist ungültig.',
  provider_only: 'Hier melden Sie sich nur über den Identitätsanbieter an, nicht mit Passwort oder Passkey.',
  proof_too_narrow:
    'Dieses Passwort, dieser Passkey oder Code stimmt, erlaubt aber weniger als diese Sitzung. Bestätigen Sie auf andere Weise.',
  provider_first:
    'Diese Sitzung begann mit einem Kopplungscode eines Admins. Bitte über den Identitätsanbieter anmelden, um Codes zu erstellen.',
  key_revoked: 'Der API-Schlüssel ist widerrufen.',
  key_expired: 'Der API-Schlüssel ist abgelaufen.',
  missing_scope: 'Dem API-Schlüssel fehlt die Berechtigung für diese Anfrage.',
  key_not_bound: 'Der API-Schlüssel muss an genau einen Kanal gebunden sein.',
  workspace_inactive: 'Der Arbeitsbereich ist nicht aktiv.',
  role_too_low: 'Das dürfen nur Inhaber und Admins dieses Arbeitsbereichs.',
  https_required:
    'Diese Anfrage kam nicht über HTTPS, also konnten andere den Schlüssel oder das Passwort lesen. Ersetzen Sie ihn.',
  cross_site: 'Anfragen mit dem Cookie der Sitzung werden nur von den Seiten dieses Servers angenommen.',
  workspace_not_found: 'Dieses Konto gehört zu keinem solchen Arbeitsbereich.',
  members_device_not_found: 'Kein Mitglied dieses Arbeitsbereichs hat dieses Gerät.',
  device_not_found: 'Dieses Gerät gibt es in diesem Konto nicht.',
  passkey_not_found: 'Diesen Passkey gibt es in diesem Konto nicht.',
  session_not_found: 'Diese Sitzung gibt es in diesem Konto nicht.',
  heartbeat_not_found: 'Diesen Heartbeat gibt es in keinem Arbeitsbereich dieses Kontos.',
  webhook_not_found: 'Diesen Webhook gibt es in diesem Arbeitsbereich nicht.',
  maintenance_not_found: 'Dieses Wartungsfenster gibt es in diesem Kanal nicht.',
  rota_not_found: 'Diesen Bereitschaftsplan gibt es in keinem Ihrer Arbeitsbereiche.',
  override_not_found: 'Diese Vertretung ist in diesem Bereitschaftsplan weder aktiv noch geplant.',
  key_not_found: 'Diesen API-Schlüssel gibt es in diesem Arbeitsbereich nicht.',
  member_not_found: 'Dieses Mitglied gibt es in diesem Arbeitsbereich nicht.',
  channel_not_found: 'Diesen Kanal gibt es in diesem Arbeitsbereich nicht, oder er ist inaktiv.',
  event_not_found: 'Dieses Ereignis gibt es in diesem Arbeitsbereich nicht.',
  own_channel_not_found: 'Diesen Kanal gibt es in keinem Arbeitsbereich dieses Kontos.',
  route_not_found: 'Unter dieser Adresse gibt es nichts.',
  method_not_allowed: 'Diese Adresse nimmt diese Methode nicht an.',
  conflict: 'Die Anfrage passt nicht zum jetzigen Zustand.',
  no_alert: 'Das Ereignis gehört zu keinem Alarm.',
  alert_lives: 'Ein anderer Alarm mit demselben Schlüssel ist offen oder übernommen.',
  not_reopened: 'Der Alarm lässt sich nicht wieder öffnen.',
  nothing_to_undo: `${CHANGED}.`,
  not_reachable: 'Niemand mit diesem Namen hat ein Gerät, das diesen Alarm bekommt.',
  request_timeout: 'Die Anfrage ist nicht rechtzeitig angekommen.',
  payload_too_large: 'Die Anfrage ist größer als 64 KiB.',
  unsupported_encoding: 'Die Anfrage ist in einer Weise komprimiert, die der Server nicht versteht.',
  rate_limited: 'Dieser API-Schlüssel hat in einer Minute zu viele Anfragen gestellt.',
  allowance_exhausted: 'Das monatliche Kontingent dieses Arbeitsbereichs ist verbraucht.',
  connection_throttled: 'Von dieser Adresse kamen in einer Minute zu viele Verbindungstests.',
  sign_in_throttled: 'Zu viele Anmeldungen sind fehlgeschlagen. Bitte warten, oder mit einem Kopplungscode anmelden.',
  pairing_throttled: 'Von dieser Adresse kamen zu viele falsche Kopplungscodes.',
  test_throttled: 'Das waren zu viele Tests innerhalb einer Minute.',
  report_throttled: 'Dieses Gerät, sein Mitglied oder sein Netz hat in einer Minute zu viele Meldungen gesendet.',
  too_many_streams: 'Es sind zu viele Verbindungen offen. Bitte einen Tab schließen, oder warten, bis eine endet.',
  change_throttled: 'Das waren zu viele Änderungen in kurzer Zeit. Bitte etwas warten.',
  headers_too_large: 'Die Kopfzeilen der Anfrage sind zu groß.',
  internal_error: 'Auf dem Server ist etwas schiefgegangen.',
  unavailable: 'Der Server kann gerade nichts speichern.',
  overloaded: 'Der Server ist überlastet.',

  // Fields of a form.
  required: 'Diese Angabe fehlt: {field}.',
  required_with: 'Diese Angabe fehlt neben {other}: {field}.',
  not_valid: 'Die Angabe ist ungültig.',
  not_blank: 'Darf nicht leer sein.',
  not_empty: 'Darf nicht leer sein.',
  type_string: 'Muss ein Text sein.',
  type_integer: 'Muss eine ganze Zahl sein.',
  type_boolean: 'Muss ja oder nein sein.',
  type_array: 'Muss eine Liste sein.',
  type_object: 'Muss ein Objekt sein.',
  max_length: 'Höchstens {most} Zeichen.',
  min_length: 'Mindestens {least} Zeichen.',
  maximum: 'Höchstens {most}.',
  minimum: 'Mindestens {least}.',
  whole_number: 'Eine ganze Zahl von {least} bis {most}.',
  whole_seconds: 'Eine ganze Zahl von Sekunden, von {least} bis {most}.',
  one_of: 'Möglich sind: {values}.',
  some_of: 'Mindestens eines davon: {values}.',
  no_entry: 'Mindestens eine Angabe ist nötig.',
  max_entries: 'Höchstens {most} Angaben.',
  entry_twice: 'Jede Angabe nur einmal.',
  well_formed: 'Enthält Zeichen, die kein gültiger Text sind.',
  slug: `Erlaubt sind ${NAME}`,
  name_form: `„{name}“ geht nicht: erlaubt sind 1 bis {most} ${NAME}`,
  email_form: '„{email}“ ist keine E-Mail-Adresse.',
  email_address: 'Muss eine E-Mail-Adresse sein.',
  wrong_current: 'Das ist nicht das bisherige Passwort.',
  person: 'Muss die ID, der Name oder die E-Mail-Adresse eines Mitglieds sein.',
  event_id: 'Muss die ID eines Ereignisses sein.',
  event_ids: 'Muss eine Liste von IDs von Ereignissen sein.',
  cursor: 'Diese Stelle gibt es in der Liste nicht mehr. Bitte die Liste von vorn laden.',

  // Times.
  time: 'Muss ein Zeitpunkt mit Zeitzone sein.',
  time_rfc3339: 'Muss ein Zeitpunkt nach RFC 3339 sein, mit Sekunden und Zeitzone, etwa 2026-11-21T09:30:00Z.',
  time_back: 'Muss ein Zeitpunkt oder eine Dauer sein, etwa 24h.',
  duration: 'Muss eine Dauer sein, etwa 24h oder 30d.',
  duration_long: 'Höchstens {most} Tage.',
  date: 'Muss ein Datum sein, etwa 2027-01-04.',
  time_of_day: 'Muss eine Uhrzeit sein, etwa 09:00.',
  timezone: 'Muss eine Zeitzone sein, etwa Europe/Berlin, oder UTC.',
  in_future: 'Muss in der Zukunft liegen.',
  in_past: 'Darf nicht in der Vergangenheit liegen.',
  days_ahead: 'Höchstens {most} Tage ab jetzt.',
  after_start: 'Das Ende muss nach dem Beginn liegen.',
  ends_too_soon: 'Das Ende muss mindestens eine Minute nach dem Beginn liegen.',
  ends_after_hours: 'Das Ende darf höchstens {most} Stunden nach dem Beginn liegen.',
  ends_after_days: 'Das Ende darf höchstens {most} Tage nach dem Beginn liegen.',
  has_begun: 'Lässt sich nach dem Beginn nicht mehr ändern.',
  cron_form: 'Fünf Angaben: Minute, Stunde, Tag, Monat und Wochentag, etwa 0 3 * * *.',
  cron_never: 'Nennt einen Tag, der nie kommt, etwa den 30. Februar.',
  cron_or_every: 'Entweder ein Abstand oder Zeiten nach cron, nicht beides.',
  with_cron: 'Nur mit cron möglich.',
  not_with: 'Nicht zusammen mit {other} möglich.',

  // Addresses.
  absolute_url: 'Muss eine vollständige Adresse sein, die mit {schemes} beginnt.',
  https_url: 'Muss eine vollständige Adresse mit https sein.',
  url_space: 'Zeichen {at} ist in einer Adresse nicht erlaubt. Schreiben Sie %20 oder lassen Sie es weg.',
  url_control: 'Zeichen {at} ist in einer Adresse nicht erlaubt. Schreiben Sie {instead} oder lassen Sie es weg.',
  url_host: 'Zeichen {at} („{character}“) ist in einem Hostnamen nicht erlaubt.',
  webhook_url:
    'Muss eine Adresse mit https sein, mit höchstens {most} Zeichen, ohne Benutzernamen, Passwort und Fragment.',
  webhook_private:
    'Darf nicht auf diesen Server oder in ein privates Netz zeigen, außer der Betreiber erlaubt es (webhooks.allow_private).',
  push_service:
    'Muss bei einem bekannten Push-Dienst liegen: {hosts}, oder bei einem Host, den der Betreiber in webpush.hosts nennt.',

  // Events, channels, heartbeats, maintenance windows, rotas and keys.
  icon: 'Ein Symbol gibt es nicht. Setzen Sie ein Emoji in den Titel.',
  control_characters: 'Darf keine Steuerzeichen enthalten.',
  time_to_live: 'Eine ganze Zahl von {least} bis {most}: so viele Sekunden hebt dieser Server Pushes höchstens auf.',
  unstored:
    'Geht nicht mit send_at, weil es nie gespeichert wird. Schreiben Sie es in die Beschreibung, oder senden Sie das Ereignis zu seiner Zeit.',
  too_many_scheduled:
    'Der Arbeitsbereich hat schon {most} geplante Ereignisse. Senden Sie das Ereignis zu seiner Zeit, oder warten Sie, bis einige gesendet sind.',
  data_strings: 'Alle Werte müssen Texte sein.',
  data_names: 'Namen haben 1 bis {most} Zeichen.',
  data_size: 'Höchstens {most} Bytes als JSON.',
  another_channel: 'Muss ein anderer Kanal sein.',
  beyond_until: 'Darf nicht länger sein als die {most} Sekunden, nach denen der Alarm endet.',
  too_many_reminders: 'Mindestens {least}: mehr als {most} Erinnerungen passen nicht in die Dauer des Alarms.',
  until_or_for: 'Entweder ein Ende oder eine Dauer, genau eines von beiden.',
  made_with: 'Nur bei einem Wartungsfenster, das damit angelegt wurde.',
  occurrence: 'Die Wartung läuft gerade nicht.',
  window_on: 'Lässt sich nicht ändern, solange die Wartung läuft.',
  for_weeks: 'Nur bei Wochen möglich.',
  person_twice: 'Nennt {member} mehr als einmal.',
  rota_member: 'Muss ein Mitglied des Bereitschaftsplans sein.',
  rota_begun: 'Erst möglich, wenn der Bereitschaftsplan begonnen hat.',
  during_override: 'Geht nicht während einer Vertretung. Beenden Sie zuerst die Vertretung.',
  ping_key: 'Ein Schlüssel mit heartbeats:ping hat keine andere Berechtigung und ist an genau einen Kanal gebunden.',

  // Things that are missing, there already, or too many.
  no_channel: 'Der Arbeitsbereich „{workspace}“ hat keinen Kanal „{channel}“.',
  no_rota: 'Der Arbeitsbereich „{workspace}“ hat keinen Bereitschaftsplan „{rota}“.',
  no_member: '„{email}“ ist kein Mitglied des Arbeitsbereichs „{workspace}“.',
  workspace_exists: 'Einen Arbeitsbereich „{workspace}“ gibt es schon.',
  channel_exists: 'Der Arbeitsbereich „{workspace}“ hat schon einen Kanal „{channel}“.',
  heartbeat_exists: 'Der Arbeitsbereich „{workspace}“ hat schon einen Heartbeat „{heartbeat}“.',
  rota_exists: 'Der Arbeitsbereich „{workspace}“ hat schon einen Bereitschaftsplan „{rota}“.',
  member_exists: '„{email}“ ist schon Mitglied des Arbeitsbereichs „{workspace}“.',
  key_exists: 'Einen API-Schlüssel „{key}“ gibt es schon. Bitte noch einmal versuchen.',
  too_many_channels: `Der Arbeitsbereich „{workspace}“ hat schon {most} Kanäle; ${FULL}`,
  too_many_heartbeats: `Der Arbeitsbereich „{workspace}“ hat schon {most} Heartbeats; ${FULL}`,
  too_many_keys: `Der Arbeitsbereich „{workspace}“ hat schon {most} API-Schlüssel; ${FULL}`,
  too_many_members: `Der Arbeitsbereich „{workspace}“ hat schon {most} Mitglieder; ${FULL}`,
  too_many_rotas: `Der Arbeitsbereich „{workspace}“ hat schon {most} Bereitschaftspläne; ${FULL}`,
  too_many_webhooks: `Der Arbeitsbereich „{workspace}“ hat schon {most} Webhooks; ${FULL}`,
  too_many_windows: `Der Kanal „{channel}“ hat schon {most} Wartungsfenster; ${FULL}`,
  too_many_overrides: `Der Bereitschaftsplan „{rota}“ hat schon {most} Vertretungen; ${FULL}`,
  too_many_devices:
    'Es gibt schon {most} Geräte in diesem Konto. Bitte eines entfernen, das nicht mehr gebraucht wird.',
  too_many_unread:
    'Mehr als {most} Ereignisse lassen sich nicht als ungelesen markieren. Bitte zuerst einige als gelesen markieren.',

  // States that allow no such change.
  no_alert_of_event: 'Das Ereignis gehört zu keinem Alarm.',
  alert_ended: 'Der Alarm ist vorbei, oder sein Kanal erinnert nicht mehr.',
  alert_with_key: 'Der Alarm „{event}“ mit demselben Schlüssel ist offen oder übernommen.',
  alert_expired: 'Der Alarm ist abgelaufen.',
  alert_resolved: 'Der Alarm wurde vor mehr als einer Stunde erledigt.',
  not_insisting: 'Der Kanal des Alarms erinnert nicht mehr.',
  changed_since: `${CHANGED}.`,
  changed_since_by: `${CHANGED}, zuletzt von {by}.`,
  nobody_called: 'Niemand namens „{name}“ hat ein Gerät, das diesen Alarm bekommt.',
  several_called: 'Mehrere Personen heißen „{name}“. Bitte geben Sie eine E-Mail-Adresse an.',
  rota_in_use: 'Der Kanal „{channel}“ ruft, wer im Bereitschaftsplan „{rota}“ an der Reihe ist.',
  nothing_to_resend: 'Von diesem Ereignis ist nichts fehlgeschlagen oder abgelaufen.',
  deliveries_forgotten: 'Das Ereignis ist so alt, dass nicht mehr bekannt ist, auf welchen Geräten es fehlschlug.',
  still_cancelling:
    'Das Ereignis wurde zurückgezogen, aber noch nicht alles davon ist beendet. Bitte in einer Minute noch einmal versuchen.',
  still_leaving:
    '„{email}“ wurde entfernt, aber noch nicht alles davon ist gelöscht. Bitte in einer Minute noch einmal versuchen.',
  last_owner: 'Das ist der letzte Inhaber des Arbeitsbereichs. Zuerst ein anderes Mitglied zum Inhaber machen.',
  password_moved: 'Das Passwort wurde inzwischen geändert. Bitte neu anmelden.',
  too_many_passkeys: 'Der Passkey wurde nicht hinzugefügt: mehr als {most} sind nicht möglich.',
  passkey_late: 'Der Passkey wurde nicht hinzugefügt: es hat zu lange gedauert. Bitte noch einmal versuchen.',
  passkey_known: 'Der Passkey wurde nicht hinzugefügt: er ist schon bekannt.',
  dead_key_revoked: 'Der API-Schlüssel „{key}“ ist widerrufen.',
  dead_key_expired: 'Der API-Schlüssel „{key}“ ist abgelaufen.',
  already_rotated: 'Der API-Schlüssel „{key}“ wurde schon erneuert: „{successor}“ trat an seine Stelle.',
  silent_device: 'Das Gerät „{device}“ ist inaktiv. Es kommt wieder, wenn sich seine App neu registriert.',
  silent_device_because:
    'Das Gerät „{device}“ ist inaktiv ({reason}). Es kommt wieder, wenn sich seine App neu registriert.',
  route_off: 'Für {route} ist kein Anbieter konfiguriert.',
  disabled_webhook: 'Der Webhook ist ausgeschaltet.',

  // Rights.
  owners_only: 'Nur Inhaber können Inhaber hinzufügen, ändern oder entfernen.',
  owners_rename: 'Nur Inhaber benennen den Arbeitsbereich um.',
  owners_device: 'Nur Inhaber entscheiden, was das Gerät eines Inhabers abonniert.',
  holders_alert: 'Nur die Person mit dem Alarm, Inhaber und Admins dürfen ihn zuweisen.',
  holders_time: 'Sie können jede Zeit übernehmen und Ihre eigene abgeben. Inhaber und Admins können das für alle tun.',
  narrow_session: 'Dieser Sitzung fehlen einige Ihrer Rechte. Öffnen Sie zuerst die Einladungen, die auf Sie warten.',
  more_rights:
    '„{email}“ hat Rechte, die Ihrem Konto fehlen. Das kann nur das Mitglied selbst in seiner Sitzung tun, oder der Betreiber des Servers.',
};

type Detail = Schema<'ErrorDetail'>;

/** Returns an error's German; null: a code of a newer server. */
export function inGerman({ code, field = '', params }: Detail): string | null {
  if (!Object.hasOwn(ERRORS, code)) return null;
  const values: Readonly<Record<string, string>> = { ...params, field };
  return ERRORS[code as ShownCode].replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}
