/** Sentences of the server for people. A list of patterns has those with values. */
const SENTENCES: Readonly<Record<string, string>> = {
  'The request is not valid.': 'Die Anfrage ist ungültig.',
  'The email address or the password is wrong.': 'Die E-Mail-Adresse oder das Passwort ist falsch.',
  'Confirm your identity with your password or a fresh pairing code: POST /v1/session/confirmation.':
    'Bestätigen Sie Ihre Identität mit dem Passwort oder einem neuen Kopplungscode.',
  'The passkey is unknown, or its answer is wrong, used or expired.':
    'Der Passkey ist hier nicht bekannt, oder seine Antwort ist falsch, verbraucht oder zu alt.',
  'The pairing code is wrong, used or too old.': 'Der Kopplungscode ist falsch, verbraucht oder zu alt.',
  'Only owners and admins of this workspace may do this.': 'Das dürfen nur Inhaber und Admins dieses Arbeitsbereichs.',
  'Only owners and admins of the workspace may do this.': 'Das dürfen nur Inhaber und Admins des Arbeitsbereichs.',
  'Only owners can add, change or remove an owner.': 'Nur Inhaber können Inhaber hinzufügen, ändern oder entfernen.',
  'Requests with the session cookie are accepted only from pages of this server.':
    'Anfragen mit dem Cookie der Sitzung werden nur von den Seiten dieses Servers angenommen.',
  'You belong to no such workspace.': 'Dieses Konto gehört zu keinem solchen Arbeitsbereich.',
  'People sign in here only through their identity provider, not with a password or passkey.':
    'Hier melden Sie sich nur über den Identitätsanbieter an, nicht mit Passwort oder Passkey.',
  'This password, passkey or code is right, but it allows less than this session. Use another one.':
    'Dieses Passwort, dieser Passkey oder Code stimmt, erlaubt aber weniger als diese Sitzung. Bestätigen Sie auf andere Weise.',
  'Your session began with a pairing code of an admin. Sign in through the provider before you make codes.':
    'Diese Sitzung begann mit einem Kopplungscode eines Admins. Bitte über den Identitätsanbieter anmelden, um Codes zu erstellen.',
  'There is no such webhook in this workspace.': 'Diesen Webhook gibt es in diesem Arbeitsbereich nicht.',
  'There is no such maintenance window in this channel.': 'Dieses Wartungsfenster gibt es in diesem Kanal nicht.',
  'There is no such rota in a workspace of yours.': 'Diesen Bereitschaftsplan gibt es in keinem Ihrer Arbeitsbereiche.',
  'This rota has no such override that is on or planned.':
    'Diese Vertretung ist in diesem Bereitschaftsplan weder aktiv noch geplant.',
  'No member of this workspace has such a device.': 'Kein Mitglied dieses Arbeitsbereichs hat dieses Gerät.',
  'Only owners rename the workspace.': 'Nur Inhaber benennen den Arbeitsbereich um.',
  'Your session lacks some of your rights. Open the invitations that wait for you first.':
    'Dieser Sitzung fehlen einige Ihrer Rechte. Öffnen Sie zuerst die Einladungen, die auf Sie warten.',
  'Only owners decide what the device of an owner is subscribed to.':
    'Nur Inhaber entscheiden, was das Gerät eines Inhabers abonniert.',
  'You no longer belong to any workspace.': 'Dieses Konto gehört zu keinem Arbeitsbereich mehr.',
  'You have no such device.': 'Dieses Gerät gibt es in diesem Konto nicht.',
  'You have no such passkey.': 'Diesen Passkey gibt es in diesem Konto nicht.',
  'You have no such session.': 'Diese Sitzung gibt es in diesem Konto nicht.',
  'There is no such heartbeat in a workspace of yours.':
    'Diesen Heartbeat gibt es in keinem Arbeitsbereich dieses Kontos.',
  'The API key does not exist in this workspace.': 'Diesen API-Schlüssel gibt es in diesem Arbeitsbereich nicht.',
  'There is no such member in this workspace.': 'Dieses Mitglied gibt es in diesem Arbeitsbereich nicht.',
  'The channel does not exist in this workspace, or it is inactive.':
    'Diesen Kanal gibt es in diesem Arbeitsbereich nicht, oder er ist inaktiv.',
  'The event does not exist in this workspace.': 'Dieses Ereignis gibt es in diesem Arbeitsbereich nicht.',
  'There is no such channel in a workspace of yours.': 'Diesen Kanal gibt es in keinem Arbeitsbereich dieses Kontos.',
  'There is nothing at this address.': 'Unter dieser Adresse gibt es nichts.',
  'This address does not accept this method.': 'Diese Adresse nimmt diese Methode nicht an.',
  'The request conflicts with the current state.': 'Die Anfrage passt nicht zum jetzigen Zustand.',
  'The event belongs to no alert.': 'Das Ereignis gehört zu keinem Alarm.',
  'Another alert with the same key is open or acknowledged.':
    'Ein anderer Alarm mit demselben Schlüssel ist offen oder übernommen.',
  'The alert cannot be opened again.': 'Der Alarm lässt sich nicht wieder öffnen.',
  'The alert has expired.': 'Der Alarm ist abgelaufen.',
  'The alert was resolved more than an hour ago.': 'Der Alarm wurde vor mehr als einer Stunde erledigt.',
  'The channel of the alert no longer insists.': 'Der Kanal des Alarms erinnert nicht mehr.',
  'Your last change is more than a minute old, or somebody has changed the alert since.':
    'Ihre letzte Aktion ist mehr als eine Minute her, oder jemand hat den Alarm inzwischen geändert.',
  'Nobody of that name has a device that gets this alert.':
    'Niemand mit diesem Namen hat ein Gerät, das diesen Alarm bekommt.',
  'Only the person who has the alert, owners and admins may reassign it.':
    'Nur die Person mit dem Alarm, Inhaber und Admins dürfen ihn zuweisen.',
  'The request did not arrive in time.': 'Die Anfrage ist nicht rechtzeitig angekommen.',
  'The body is larger than 64 KiB.': 'Die Anfrage ist größer als 64 KiB.',
  'The monthly event allowance of this workspace is spent.':
    'Das monatliche Kontingent dieses Arbeitsbereichs ist verbraucht.',
  'Too many sign-ins have failed. Wait, or sign in with a pairing code.':
    'Zu viele Anmeldungen sind fehlgeschlagen. Bitte warten, oder mit einem Kopplungscode anmelden.',
  'This address has tried too many wrong pairing codes.': 'Von dieser Adresse kamen zu viele falsche Kopplungscodes.',
  'You have sent too many test pushes within a minute.': 'Das waren zu viele Tests innerhalb einer Minute.',
  'You have too many streams open. Close one, or wait until one has ended.':
    'Es sind zu viele Verbindungen offen. Bitte einen Tab schließen, oder warten, bis eine endet.',
  'You have made too many changes in a short time. Wait a while.':
    'Das waren zu viele Änderungen in kurzer Zeit. Bitte etwas warten.',
  'The header fields of the request are too large.': 'Die Kopfzeilen der Anfrage sind zu groß.',
  'Something went wrong on our side.': 'Auf dem Server ist etwas schiefgegangen.',
  'The password was changed meanwhile. Sign in again.': 'Das Passwort wurde inzwischen geändert. Bitte neu anmelden.',
  'This is the last owner of the workspace. Make another member an owner first.':
    'Das ist der letzte Inhaber des Arbeitsbereichs. Zuerst ein anderes Mitglied zum Inhaber machen.',
  'The current field is not your password.': 'Das ist nicht das bisherige Passwort.',
  'The name must not be blank.': 'Der Name darf nicht leer sein.',
};

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [
    /^Your last change is more than a minute old, or somebody has changed the alert since\. The alert is \w+ now \((.+)\)\.$/,
    'Ihre letzte Aktion ist mehr als eine Minute her, oder jemand hat den Alarm inzwischen geändert, zuletzt von $1.',
  ],
  [
    /^Your last change is more than a minute old, .*$/,
    'Ihre letzte Aktion ist mehr als eine Minute her, oder jemand hat den Alarm inzwischen geändert.',
  ],
  [/^Alert "(.+)" with the same key is live\.$/, 'Der Alarm „$1“ mit demselben Schlüssel ist offen oder übernommen.'],
  [
    /^Alert "(.+)" has ended, or its channel no longer insists\.$/,
    'Der Alarm ist vorbei, oder sein Kanal erinnert nicht mehr.',
  ],
  [
    /^Nobody called "(.*)" has a device that gets this alert\.$/,
    'Niemand namens „$1“ hat ein Gerät, das diesen Alarm bekommt.',
  ],
  [
    /^Several people are called "(.+)"\. Give an email address\.$/,
    'Mehrere Personen heißen „$1“. Bitte geben Sie eine E-Mail-Adresse an.',
  ],
  [/^Workspace "(.+)" already has a channel "(.+)"\.$/, 'Der Arbeitsbereich „$1“ hat schon einen Kanal „$2“.'],
  [/^Workspace "(.+)" already has a heartbeat "(.+)"\.$/, 'Der Arbeitsbereich „$1“ hat schon einen Heartbeat „$2“.'],
  [/^Workspace "(.+)" has no channel "(.+)"\.$/, 'Der Arbeitsbereich „$1“ hat keinen Kanal „$2“.'],
  [/^Workspace "(.+)" has no heartbeat "(.+)"\.$/, 'Der Arbeitsbereich „$1“ hat keinen Heartbeat „$2“.'],
  [
    /^Workspace "(.+)" already has (\d+) \w+, which is as many as it may have\.$/,
    'Der Arbeitsbereich „$1“ hat schon $2 davon; mehr darf er nicht haben.',
  ],
  [
    /^"(.+)" is already a member of workspace "(.+)", with the role \w+\.$/,
    '„$1“ ist schon Mitglied des Arbeitsbereichs „$2“.',
  ],
  [/^"(.+)" is not a member of workspace "(.+)"\.$/, '„$1“ ist kein Mitglied des Arbeitsbereichs „$2“.'],
  [
    /^"(.+)" was removed, and what they had here is not all gone yet\. Try again in a minute\.$/,
    '„$1“ wurde entfernt, aber noch nicht alles davon ist gelöscht. Bitte in einer Minute noch einmal versuchen.',
  ],
  [
    /^"(.+)" has rights that you do not have: .*$/,
    '„$1“ hat Rechte, die Ihrem Konto fehlen. Das kann nur das Mitglied selbst in seiner Sitzung tun, oder der Betreiber des Servers.',
  ],
  [/^"(.+)" is not an email address\.$/, '„$1“ ist keine E-Mail-Adresse.'],
  [
    /^"(.*)" is not an? [\w ]+: it must be 1 to (\d+) letters, .*$/,
    '„$1“ geht nicht: erlaubt sind 1 bis $2 Buchstaben, Ziffern, Punkte, Binde- und Unterstriche, am Anfang ein Buchstabe oder eine Ziffer.',
  ],
  [/^API key "(.+)" has been revoked\.$/, 'Der API-Schlüssel „$1“ ist widerrufen.'],
  [/^API key "(.+)" has expired\.$/, 'Der API-Schlüssel „$1“ ist abgelaufen.'],
  [
    /^API key "(.+)" has already been rotated: "(.+)" took its place\.$/,
    'Der API-Schlüssel „$1“ wurde schon erneuert: „$2“ trat an seine Stelle.',
  ],
  [
    /^Device "(.+)" is inactive.*$/,
    'Das Gerät „$1“ ist inaktiv. Es kommt wieder, wenn sich seine App neu registriert.',
  ],
  [/^No provider is configured for (.+)\.$/, 'Für $1 ist kein Anbieter konfiguriert.'],
  [
    /^You already have (\d+) devices\. .*$/,
    'Es gibt schon $1 Geräte in diesem Konto. Bitte eines entfernen, das nicht mehr gebraucht wird.',
  ],
  [
    /^No more than (\d+) events can be marked as unread\. .*$/,
    'Mehr als $1 Ereignisse lassen sich nicht als ungelesen markieren. Bitte zuerst einige als gelesen markieren.',
  ],
  [/^The passkey was not added\. .*$/, 'Der Passkey wurde nicht hinzugefügt.'],
  [/^Nothing of event "(.+)" failed or expired\.$/, 'Von diesem Ereignis ist nichts fehlgeschlagen oder abgelaufen.'],
  // Fields of a form.
  [/^The password must have at least (\d+) characters\.$/, 'Das Passwort braucht mindestens $1 Zeichen.'],
  [/^The password must not be greater than (\d+) bytes\.$/, 'Das Passwort darf höchstens $1 Bytes haben.'],
  [/^The ([\w.]+) field is required.*$/, 'Diese Angabe fehlt: $1.'],
  [/^The (?:[\w.]+ field|name) must not be greater than (\d+) characters\.$/, 'Höchstens $1 Zeichen.'],
  [/^The [\w.]+ field must be at least (\d+) characters\.$/, 'Mindestens $1 Zeichen.'],
  [/^The [\w.]+ field must not be greater than (\d+)\.$/, 'Höchstens $1.'],
  [/^The [\w.]+ field must be at least (\d+)\.$/, 'Mindestens $1.'],
  [/^The [\w.]+ field must be a whole number from (\d+) to (\d+)\.$/, 'Eine ganze Zahl von $1 bis $2.'],
  [
    /^The [\w.]+ field must be a whole number of seconds from (\d+) to (\d+)\.$/,
    'Eine ganze Zahl von Sekunden, von $1 bis $2.',
  ],
  [/^The [\w.]+ field must not be (?:blank|empty)\.$/, 'Darf nicht leer sein.'],
  [/^The [\w.]+ field must be one of (.+)\.$/, 'Möglich sind: $1.'],
  [
    /^The [\w.]+ field must be letters, digits, .*$/,
    'Erlaubt sind Buchstaben, Ziffern, Punkte, Binde- und Unterstriche, am Anfang ein Buchstabe oder eine Ziffer.',
  ],
  [/^The [\w.]+ field must be an absolute https URL\.$/, 'Muss eine vollständige Adresse mit https sein.'],
  [
    /^The [\w.]+ field must be an absolute URL that starts with (.+)\.$/,
    'Muss eine vollständige Adresse sein, die mit $1 beginnt.',
  ],
  [
    /^The [\w.]+ field must not contain (?:a space|U\+[0-9A-F]+) \(character (\d+)\): write (\S+) or leave it out\.$/,
    'Zeichen $1 ist in einer Adresse nicht erlaubt. Schreiben Sie $2 oder lassen Sie es weg.',
  ],
  [
    /^The [\w.]+ field must not contain "(.)" in its host name \(character (\d+)\)\.$/,
    'Zeichen $2 („$1“) ist in einem Hostnamen nicht erlaubt.',
  ],
  [/^The [\w.]+ field must name another channel\.$/, 'Muss ein anderer Kanal sein.'],
  [/^The [\w.]+ field must not name more than (\d+) channels\.$/, 'Höchstens $1 Kanäle.'],
  [/^The [\w.]+ field must be a time zone .*$/, 'Muss eine Zeitzone sein, etwa Europe/Berlin.'],
  [/^The [\w.]+ field must be a time such as (.+)\.$/, 'Muss eine Uhrzeit sein, etwa $1.'],
  [/^The [\w.]+ field must name at least one day\.$/, 'Mindestens ein Tag muss gewählt sein.'],
  [/^The [\w.]+ field must be a time in ISO 8601 .*$/, 'Muss ein Zeitpunkt mit Zeitzone sein.'],
  [/^The [\w.]+ field must have 1 to (\d+) characters\.$/, '1 bis $1 Zeichen.'],
  [
    /^The cron field must be five fields: .* such as (.+)\.$/,
    'Fünf Angaben: Minute, Stunde, Tag, Monat und Wochentag, etwa $1.',
  ],
  [/^The cron field (?:names a day that )?never comes.*$/, 'Dieser Zeitpunkt kommt nie.'],
  // Maintenance windows.
  [
    /^Channel "(.+)" already has (\d+) maintenance windows, .*$/,
    'Der Kanal „$1“ hat schon $2 Wartungsfenster; mehr darf er nicht haben.',
  ],
  [/^The from field must not be in the past\.$/, 'Darf nicht in der Vergangenheit liegen.'],
  [/^The from field must be at most (\d+) days ahead\.$/, 'Höchstens $1 Tage ab jetzt.'],
  [/^The from field cannot change, .*$/, 'Die Wartung hat schon begonnen.'],
  [/^The \w+ field must end the window at least .*$/, 'Das Ende muss mindestens eine Minute nach dem Beginn liegen.'],
  [
    /^The \w+ field must end the window at most (\d+) days .*$/,
    'Das Ende darf höchstens $1 Tage nach dem Beginn liegen.',
  ],
  [/^The until field must be within (\d+) days .*$/, 'Das Ende darf höchstens $1 Tage nach dem Beginn liegen.'],
  [/^The until field must be within (\d+) hours .*$/, 'Das Ende darf höchstens $1 Stunden nach dem Beginn liegen.'],
  [/^The until field is for an occurrence that is on\.$/, 'Die Wartung läuft gerade nicht.'],
  [/^The only field cannot change .*$/, 'Lässt sich nicht ändern, solange die Wartung läuft.'],
];

/** Ends a 422's first sentence if more follow. */
const MORE = / \(and (\d+) more errors?\)$/;

export function inGerman(sentence: string): string {
  const more = MORE.exec(sentence);
  if (more !== null) return `${inGerman(sentence.slice(0, more.index))} (und ${more[1]} weitere)`;
  const pattern = PATTERNS.find(([form]) => form.test(sentence));
  return SENTENCES[sentence] ?? (pattern === undefined ? sentence : sentence.replace(...pattern));
}
