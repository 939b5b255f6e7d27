import type { Translation } from '../../translation.ts';
import type { explained as english } from '../explained.ts';

/** Frequent last sentences, with translations. */
const ENDS: readonly (readonly [string, string])[] = [
  [
    'Nothing is lost: the queue waits, and single pushes probe whether the provider works again.',
    'Nichts geht verloren: Die Warteschlange wartet, und jeweils ein Push prüft, ob es wieder geht.',
  ],
  [
    'Nothing to do: the server retries with growing pauses until the event expires.',
    'Sie müssen nichts tun: Der Server versucht es mit wachsenden Pausen weiter, bis das Ereignis abläuft.',
  ],
  [
    'Devices that worked before stay, and their pushes wait until others are accepted.',
    'Geräte, die zuvor in Ordnung waren, bleiben. Ihre Pushes warten, bis der Anbieter andere annimmt.',
  ],
  [
    'Browsers that worked before stay, and their pushes wait until others are accepted.',
    'Browser, die zuvor in Ordnung waren, bleiben. Ihre Pushes warten, bis der Push-Dienst andere annimmt.',
  ],
  [
    'The push may have arrived: a second copy replaces the first.',
    'Der Push kann angekommen sein: Ein zweiter ersetzt dann den ersten.',
  ],
  ['The device is kept.', 'Das Gerät bleibt.'],
];

const SENTENCES: Readonly<Record<string, string>> = {
  // APNs
  'The collapse id is longer than 64 bytes.': 'Die Collapse-ID ist länger als 64 Bytes.',
  'This is a bug of pushctl: please report it.': 'Das ist ein Fehler in pushctl: Bitte melden Sie ihn.',
  'The device token does not belong to this environment: it is garbage, or a sandbox token was sent to production, or the reverse.':
    'Das Token gehört nicht zu dieser Umgebung: Es ist unbrauchbar, oder eines der Sandbox ging an die Produktion oder umgekehrt.',
  'If many devices report this at once, the configuration is wrong. Check the environment of the devices (production or sandbox) and apns.topic. If you have several apps, check the app that each device names.':
    'Wenn viele Geräte das auf einmal melden, stimmt die Konfiguration nicht. Prüfen Sie die Umgebung der Geräte (Produktion oder Sandbox), apns.topic und bei mehreren Apps die App jedes Geräts.',
  'The expiration header is not a Unix time.': 'Die Kopfzeile für den Ablauf ist keine Unix-Zeit.',
  'The apns-id header is not a UUID.': 'Die Kopfzeile apns-id ist keine UUID.',
  'The priority header is not one of 1, 5 and 10.': 'Die Priorität ist weder 1 noch 5 noch 10.',
  'The topic is not valid.': 'Das Topic ist ungültig.',
  "Set apns.topic (or the app's entry in apns.topics) to a bundle ID that the key may send to, then restart. If you have several apps, only the pushes of this app wait.":
    'Tragen Sie in apns.topic oder apns.topics die Bundle-ID der App ein, an die der Schlüssel senden darf, und starten Sie neu. Bei mehreren Apps warten nur die Pushes dieser einen.',
  'The device token belongs to another app than the topic of the push (apns.topic, or the app that the device names).':
    'Das Token gehört zu einer anderen App als das Topic: apns.topic, oder die App, die das Gerät nennt.',
  'A header was sent twice.': 'Die Anfrage enthielt eine Kopfzeile zweimal.',
  'Apple closed a connection that had been idle for too long.':
    'Apple hat eine Verbindung geschlossen, die zu lange unbenutzt war.',
  'The push type is not valid.': 'Die Art des Pushs ist ungültig.',
  'The request named no device.': 'Die Anfrage nannte kein Gerät.',
  'The request had no topic, and the credentials imply none.':
    'Die Anfrage enthielt kein Topic, und die Zugangsdaten legen keines fest.',
  'The push had no payload.': 'Der Push hatte keinen Inhalt.',
  'The key may not send to this topic.': 'Der Schlüssel darf nicht an dieses Topic senden.',
  'The certificate is not valid.': 'Das Zertifikat ist ungültig.',
  'Check apns.key_file, apns.key_id and apns.team_id in the Apple developer account, then reload (SIGHUP).':
    'Prüfen Sie apns.key_file, apns.key_id und apns.team_id im Entwicklerkonto bei Apple, und laden Sie neu (SIGHUP).',
  'The certificate is for the other environment.': 'Das Zertifikat gehört zur anderen Umgebung.',
  'Use a key of the right environment: Apple issues them for sandbox, production or both.':
    'Verwenden Sie einen Schlüssel der richtigen Umgebung: Apple stellt sie für Sandbox, Produktion oder beide aus.',
  'The key is not for this environment.': 'Der Schlüssel ist nicht für diese Umgebung.',
  'The signed token is older than an hour by Apple’s clock. The token that replaced it was, too.':
    'Das signierte Token ist nach Apples Uhr älter als eine Stunde; das neu signierte war es auch.',
  'Check the clock of this machine (timedatectl). When it is right, the next attempt uses a new token.':
    'Prüfen Sie, ob die Uhr dieser Maschine stimmt (timedatectl). Wenn sie wieder stimmt, verwendet der nächste Versuch ein neues Token.',
  'The action is not allowed for this key.': 'Dieser Schlüssel erlaubt das nicht.',
  'The signed token is not valid: the key, key id or team is wrong, the key is revoked, or the clock is ahead.':
    'Das signierte Token ist ungültig: falscher Schlüssel, falsche Schlüssel-ID oder falsches Team, ein widerrufener Schlüssel, oder die Uhr geht vor.',
  'Check apns.key_file, apns.key_id and apns.team_id in the Apple developer account, then reload (SIGHUP). Check the clock of this machine as well (timedatectl).':
    'Prüfen Sie apns.key_file, apns.key_id und apns.team_id im Entwicklerkonto bei Apple, und laden Sie neu (SIGHUP). Prüfen Sie auch die Uhr dieser Maschine (timedatectl).',
  'No signed token was sent.': 'Die Anfrage enthielt kein signiertes Token.',
  'The connection was opened with another key of the team; the next attempt uses a new connection.':
    'Die Verbindung wurde mit einem anderen Schlüssel des Teams geöffnet; der nächste Versuch nimmt eine neue.',
  'The request path is not valid.': 'Der Pfad der Anfrage ist ungültig.',
  'The request method was not POST.': 'Die Methode der Anfrage war nicht POST.',
  'The device token has expired.': 'Das Token des Geräts ist abgelaufen.',
  'Nothing to do: the device gets pushes again once its app registers again.':
    'Sie müssen nichts tun: Das Gerät bekommt wieder Pushes, sobald seine App sich neu registriert.',
  'The app was removed from the device, or no longer takes pushes.':
    'Die App wurde vom Gerät entfernt oder nimmt keine Pushes mehr an.',
  'The payload is larger than 4096 bytes, although pushctl shortened it.':
    'Der Inhalt ist größer als 4096 Bytes, obwohl er gekürzt wurde.',
  'New signed tokens came too often, and pushctl knows no token that Apple accepted before.':
    'Es kamen zu oft neue signierte Tokens, und keines ist bekannt, das Apple schon angenommen hat.',
  'Nothing to do here: all servers of a database share one token. Check whether another program signs with the same key.':
    'Sie müssen hier nichts tun: Alle Server einer Datenbank teilen sich ein Token. Prüfen Sie, ob ein anderes Programm mit demselben Schlüssel signiert.',
  'Too many pushes went to this one device in a short time.':
    'Dieses eine Gerät hat in kurzer Zeit zu viele Pushes bekommen.',
  'Apple had an internal error.': 'Apple hatte einen internen Fehler.',
  'Apple’s service is not available.': 'Der Dienst von Apple ist nicht verfügbar.',
  'Apple’s server is shutting down.': 'Der Server von Apple fährt herunter.',
  // FCM
  'FCM refused a field of the message.': 'FCM hat ein Feld der Nachricht abgelehnt.',
  'The registration token or installation ID is not valid.':
    'Das Registrierungs-Token oder die Installations-ID ist ungültig.',
  'If many devices report this at once, check how the app registers.':
    'Wenn viele Geräte das auf einmal melden, prüfen Sie, wie die App sich registriert.',
  'The Firebase project is not set up for this.': 'Das Firebase-Projekt ist dafür nicht eingerichtet.',
  'Check the project in the Firebase console.': 'Prüfen Sie das Projekt in der Firebase-Konsole.',
  'The access token was refused; the next attempt gets a new one.':
    'FCM hat das Zugriffs-Token abgelehnt; der nächste Versuch holt ein neues.',
  'Check fcm.service_account_file and the clock of this machine.':
    'Prüfen Sie fcm.service_account_file und die Uhr dieser Maschine.',
  'The target is not an Android device. FCM would have to reach it through APNs or web push, but has no credentials for that.':
    'Das Ziel ist kein Android-Gerät: FCM müsste es über APNs oder Web Push erreichen und hat dafür keine Zugangsdaten.',
  'Register iOS devices with platform ios and their APNs token.':
    'Registrieren Sie iOS-Geräte mit der Plattform ios und ihrem APNs-Token.',
  'The service account may not send, or the FCM API is disabled in the project.':
    'Das Dienstkonto darf nicht senden, oder die FCM-API ist im Projekt ausgeschaltet.',
  'Enable the Firebase Cloud Messaging API, and give the account the role Firebase Cloud Messaging API Admin.':
    'Schalten Sie die Firebase Cloud Messaging API ein, und geben Sie dem Konto die Rolle Firebase Cloud Messaging API Admin.',
  'The token belongs to another Firebase project.': 'Das Token gehört zu einem anderen Firebase-Projekt.',
  'If many devices report this at once, the service account belongs to the wrong project.':
    'Wenn viele Geräte das auf einmal melden, gehört das Dienstkonto zum falschen Projekt.',
  'FCM does not know the project or the path. It says nothing about the device.':
    'FCM kennt das Projekt oder den Pfad nicht. Das sagt nichts über das Gerät.',
  'Check the project_id in fcm.service_account_file, and fcm.endpoint.':
    'Prüfen Sie die project_id in fcm.service_account_file, und fcm.endpoint.',
  'The app was removed from the device, or its token was replaced or has expired.':
    'Die App wurde vom Gerät entfernt, oder ihr Token wurde ersetzt oder ist abgelaufen.',
  "The project's quota is used up.": 'Das Kontingent des Projekts ist verbraucht.',
  'Lower fcm.per_minute, or ask Google to raise the quota of the project.':
    'Senken Sie fcm.per_minute, oder lassen Sie das Kontingent des Projekts erhöhen.',
  'Google had an internal error.': 'Google hatte einen internen Fehler.',
  'Google gave no reason.': 'Google hat keinen Grund genannt.',
  'Google’s service is overloaded or not available.': 'Der Dienst von Google ist überlastet oder nicht verfügbar.',
  'Google’s service took too long.': 'Der Dienst von Google hat zu lange gebraucht.',
  // Web Push
  'The browser subscribed with a key other than the one that this installation signs with.':
    'Der Browser hat mit einem anderen Schlüssel abonniert als dem, mit dem diese Installation signiert.',
  'If many browsers report this at once, the key of this installation has changed: restore the database that holds the old key.':
    'Wenn viele Browser das auf einmal melden, hat diese Installation einen anderen Schlüssel als zuvor. Stellen Sie die Datenbank mit dem alten wieder her.',
  'The signature was refused: missing, expired, or not for this push service.':
    'Der Push-Dienst hat die Signatur abgelehnt: Sie fehlt, ist abgelaufen oder gilt nicht für ihn.',
  'Check webpush.contact and the clock of this machine.': 'Prüfen Sie webpush.contact und die Uhr dieser Maschine.',
  'The endpoint is not valid, or was not used for 270 days.':
    'Der Endpunkt ist ungültig oder wurde 270 Tage nicht benutzt.',
  'If many browsers report this at once, Google may be at fault.':
    'Wenn viele Browser das auf einmal melden, kann es an Google liegen.',
  'The browser unsubscribed, or the subscription has expired.':
    'Der Browser hat das Abonnement beendet, oder es ist abgelaufen.',
  'Nothing to do: the browser gets pushes again once the web app is opened in it.':
    'Sie müssen nichts tun: Der Browser bekommt wieder Pushes, sobald jemand die Web-App darin öffnet.',
  'The push service does not accept messages of this size.': 'Der Push-Dienst nimmt keine Nachricht dieser Größe an.',
  'Too many pushes in a short time: either of the installation, or over 1,000 a minute if Chrome judges the site disruptive.':
    'Zu viele Pushes in kurzer Zeit: von der Installation, oder über 1.000 in der Minute, wenn Chrome die Website für störend hält.',
  'Headers of the encryption are missing.': 'Kopfzeilen der Verschlüsselung fehlen.',
  'The endpoint does not belong to this push service: it cannot be decrypted.':
    'Der Endpunkt gehört nicht zu diesem Push-Dienst: Er lässt sich nicht entschlüsseln.',
  'The subscription has expired.': 'Das Abonnement ist abgelaufen.',
  'The browser unsubscribed.': 'Der Browser hat das Abonnement beendet.',
  'The subscription is no longer valid.': 'Das Abonnement gilt nicht mehr.',
  'The push service does not know how to reach the browser.':
    'Der Push-Dienst weiß nicht, wie er den Browser erreicht.',
  'The encryption is missing, or unknown to the push service.':
    'Die Verschlüsselung fehlt, oder der Push-Dienst kennt sie nicht.',
  'A header is missing.': 'Eine Kopfzeile fehlt.',
  'The Topic header is wrong.': 'Die Kopfzeile Topic ist falsch.',
  'The TTL header is wrong.': 'Die Kopfzeile TTL ist falsch.',
  'The push service is overloaded, and asks clients to wait.': 'Der Push-Dienst ist überlastet und bittet zu warten.',
  'The push service could not store the message.': 'Der Push-Dienst konnte die Nachricht nicht speichern.',
  'The bridge to Firefox on Android failed.': 'Die Brücke zu Firefox auf Android hat versagt.',
  'The bridge to Firefox on Android is not signed in.': 'Die Brücke zu Firefox auf Android ist nicht angemeldet.',
  'The bridge to Firefox on Android could not be reached.': 'Die Brücke zu Firefox auf Android war nicht erreichbar.',
  'The bridge to Firefox on Android did not answer in time.':
    'Die Brücke zu Firefox auf Android hat nicht rechtzeitig geantwortet.',
  'The push service had an internal error.': 'Der Push-Dienst hatte einen internen Fehler.',
  'The Urgency header is wrong.': 'Die Kopfzeile Urgency ist falsch.',
  'Apple refused the request.': 'Apple hat die Anfrage abgelehnt.',
  'Apple refused the signature. Apple refuses every contact whose host cannot be public.':
    'Apple hat die Signatur abgelehnt. Apple lehnt jeden Kontakt ab, dessen Host nicht öffentlich sein kann.',
  'Apple refused the public key.': 'Apple hat den öffentlichen Schlüssel abgelehnt.',
  'The endpoint does not belong to Apple.': 'Der Endpunkt ist keiner von Apple.',
  'The browser unsubscribed, or the web app was removed.':
    'Der Browser hat das Abonnement beendet, oder die Web-App wurde entfernt.',
  'Too many pushes went to this one browser in a short time.':
    'Dieser eine Browser hat in kurzer Zeit zu viele Pushes bekommen.',
  'Microsoft accepted the push and discarded it: the user or Windows does not allow it now.':
    'Microsoft hat den Push angenommen und verworfen: Die Person oder Windows lässt ihn gerade nicht zu.',
  'Nothing to do here: Windows blocks notifications of the browser.':
    'Sie müssen hier nichts tun: Benachrichtigungen des Browsers sind in Windows ausgeschaltet.',
  'Microsoft accepted the push and discarded it: too many went to this one browser.':
    'Microsoft hat den Push angenommen und verworfen: Dieser eine Browser hat zu viele bekommen.',
  'Microsoft refused a header, such as a TTL that does not fit X-WNS-Cache-Policy.':
    'Microsoft hat eine Kopfzeile abgelehnt, etwa eine TTL, die nicht zu X-WNS-Cache-Policy passt.',
  'The signature was refused.': 'Der Push-Dienst hat die Signatur abgelehnt.',
  'The signature was refused, or is not for this browser.':
    'Der Push-Dienst hat die Signatur abgelehnt, oder sie gilt nicht für diesen Browser.',
  'The endpoint is not valid.': 'Der Endpunkt ist ungültig.',
  'Too many pushes in a short time.': 'Zu viele Pushes in kurzer Zeit.',
  'The subscription has expired, or never existed.': 'Das Abonnement ist abgelaufen oder hat nie bestanden.',
  'The browser or app unsubscribed.': 'Der Browser oder die App hat das Abonnement beendet.',
  // Without an answer
  'The provider did not answer in time.': 'Der Anbieter hat nicht rechtzeitig geantwortet.',
  'The connection broke before the answer came.': 'Die Verbindung brach ab, bevor die Antwort kam.',
  'The provider refused the request without processing it.':
    'Der Anbieter hat die Anfrage abgelehnt, ohne sie anzusehen.',
  'The answer did not come from the provider: it was cut off, or something in between wrote it.':
    'Die Antwort stammt nicht vom Anbieter: Sie war abgeschnitten oder kam von etwas dazwischen.',
  'If it continues, look for a proxy between this machine and the provider.':
    'Wenn es dabei bleibt, suchen Sie nach einem Proxy zwischen dieser Maschine und dem Anbieter.',
  'If it continues, look for a proxy between this machine and the provider, and check the endpoint.':
    'Wenn es dabei bleibt, suchen Sie nach einem Proxy zwischen dieser Maschine und dem Anbieter, und prüfen Sie den Endpunkt.',
  'The push was not sent: earlier pushes took too long, or its connection ended.':
    'Der Server hat den Push nicht gesendet: Die Pushes vor ihm brauchten zu lange, oder seine Verbindung endete.',
  'The push was not sent: while it waited, its device lost the right to it or got another address, or its workspace was suspended.':
    'Der Server hat den Push nicht gesendet: Während er wartete, verlor sein Gerät das Recht darauf, bekam eine andere Adresse, oder jemand sperrte den Arbeitsbereich.',
  'Nothing to do: the push is withdrawn, goes to the new address, or waits until the workspace is active.':
    'Sie müssen nichts tun: Der Push wird zurückgezogen, geht an die neue Adresse oder wartet, bis der Arbeitsbereich aktiv ist.',
  'The thread that was sending the push ended.': 'Der Thread, der den Push sendete, endete.',
  'The server could not connect to the provider. No device is at fault, and the pushes wait.':
    'Der Server hat keine Verbindung zum Anbieter bekommen. Das liegt an keinem Gerät: Die Pushes warten.',
  'Check DNS (ENOTFOUND, EAI_AGAIN), the firewall (ETIMEDOUT, ECONNREFUSED; Apple: ports 443 or 2197) and the routes of this machine (ENETUNREACH, EHOSTUNREACH). If a certificate is not trusted, check the clock, ca_file and endpoint, and look for a proxy.':
    'Prüfen Sie DNS (ENOTFOUND, EAI_AGAIN), die Firewall (ETIMEDOUT, ECONNREFUSED; Apple: Ports 443 oder 2197) und die Routen dieser Maschine (ENETUNREACH, EHOSTUNREACH). Wenn ein Zertifikat als nicht vertrauenswürdig gilt, prüfen Sie die Uhr, ca_file und endpoint, und suchen Sie nach einem Proxy dazwischen.',
  'Google refused to give an access token for the service account.':
    'Google hat für das Dienstkonto kein Zugriffs-Token gegeben.',
  'Check the clock of this machine, and that the key in fcm.service_account_file still exists in the Google Cloud console.':
    'Prüfen Sie, ob es den Schlüssel in fcm.service_account_file in der Google-Cloud-Konsole noch gibt und ob die Uhr dieser Maschine stimmt.',
  'Google’s token endpoint could not be reached, or failed.':
    'Googles Endpunkt für Tokens war nicht erreichbar oder hat versagt.',
  'Check the network and fcm.token_endpoint. The server retries by itself.':
    'Prüfen Sie das Netz und fcm.token_endpoint. Der Server fragt von selbst wieder.',
  'The stored device token is not hexadecimal, so it cannot be one of Apple’s.':
    'Das gespeicherte Token ist nicht hexadezimal, kann also keines von Apple sein.',
  'Let the app register the device again.': 'Lassen Sie das Gerät von der App neu registrieren.',
  'This server does not know the push service of the browser, so it sent nothing.':
    'Dieser Server kennt den Push-Dienst des Browsers nicht und hat nichts an ihn gesendet.',
  'If the push service is your own, add its host to webpush.hosts.':
    'Wenn es Ihr eigener ist, tragen Sie seinen Host in webpush.hosts ein.',
  'The message was refused before it was sent.': 'Der Server hat die Nachricht vor dem Senden abgelehnt.',
  'There are no usable credentials for this provider.':
    'Dieser Server hat keine brauchbaren Zugangsdaten für den Anbieter.',
  'Run `pushctl config check` to see what is missing. Events for devices of this provider wait.':
    'Führen Sie `pushctl config check` aus: Der Befehl sagt, was fehlt. Ereignisse für die Geräte des Anbieters warten.',
  'An error in pushctl itself stopped the push.': 'Ein Fehler in pushctl selbst hat das Senden beendet.',
  // Queue
  'The push could not be sent within the time to live of its event ([delivery] ttl). It is not sent late.':
    'Der Push ließ sich nicht innerhalb der Lebensdauer seines Ereignisses senden ([delivery] ttl). Der Server sendet ihn nicht verspätet.',
  'To see what delayed it, check its earlier attempts, and look in the log for a pause of its route.':
    'Seine früheren Versuche oder eine Pause seiner Route im Protokoll zeigen, was ihn aufhielt.',
  'The device was unsubscribed, removed or deactivated after the event was accepted and before its push was sent.':
    'Das Gerät wurde abgemeldet, entfernt oder inaktiv, nachdem der Server das Ereignis angenommen hatte.',
  'Nothing to do. `pushctl event show <id> --email <email>` shows the results of the devices of one member.':
    'Sie müssen nichts tun. `pushctl event show <id> --email <email>` zeigt, was über die Geräte eines Mitglieds bekannt ist.',
  'Nothing to do. `pushctl device list` shows what is muted.':
    'Sie müssen nichts tun. `pushctl device list` zeigt, was stummgeschaltet ist.',
  'The device was removed, or moved to another user, while its push waited.':
    'Das Gerät wurde entfernt oder ging an ein anderes Konto, während sein Push wartete.',
  'Nothing to do.': 'Sie müssen nichts tun.',
  'The device left the channel, or its user left the workspace, while its push waited. A device that returns gets nothing that was posted before.':
    'Das Gerät verließ den Kanal oder seine Person den Arbeitsbereich, während sein Push wartete. Nach einer Rückkehr kommt nichts nach, was vorher gesendet wurde.',
  'The user of the device muted the channel, or events of this level, on it.':
    'Die Person hat den Kanal oder Ereignisse dieser Stufe auf dem Gerät stummgeschaltet.',
  'The event reports what the user of the device did themselves, so their devices are left out.':
    'Das Ereignis meldet, was die Person selbst getan hat. Deshalb werden ihre Geräte ausgelassen.',
  'While this push waited, another push showed that the device is no longer registered.':
    'Ein anderer Push fand das Gerät nicht mehr registriert, während dieser wartete.',
  'The event was cancelled (`pushctl event cancel`) before the push was sent.':
    'Ein Betreiber hat das Ereignis vor dem Senden zurückgenommen (`pushctl event cancel`).',
  'Nothing to do. `pushctl event resend --all` posts the event again.':
    'Sie müssen nichts tun. `pushctl event resend --all` sendet das Ereignis noch einmal.',
  'The provider refused an earlier push to the device. Either the device is dead, or the configured environment, topic or project is wrong.':
    'Der Anbieter hat einen früheren Push an das Gerät abgelehnt. Entweder ist das Gerät nicht mehr registriert, oder Umgebung, Topic oder Projekt sind hier falsch.',
  'This is decided when a push to another device is accepted. Until then, check the configuration with `pushctl doctor`. If it is right, deactivate such devices with `pushctl device prune`.':
    'Das klärt sich, sobald der Anbieter einen Push an ein anderes Gerät annimmt. Prüfen Sie bis dahin die Konfiguration mit `pushctl doctor`. Wenn sie stimmt, beenden Sie solche Geräte mit `pushctl device prune`.',
  'The device is registered for an app that is neither apns.topic nor in apns.topics, so nothing is sent to it.':
    'Das Gerät ist für eine App registriert, die weder apns.topic ist noch in apns.topics steht. Deshalb bekommt es nichts.',
  'Add the bundle ID that the device names (`pushctl device list`) to apns.topics and restart: waiting pushes are sent within minutes. If the app is retired, deactivate its devices with `pushctl device prune`.':
    'Tragen Sie die Bundle-ID des Geräts (`pushctl device list`) in apns.topics ein, und starten Sie neu: Wartende Pushes gehen binnen Minuten hinaus. Wenn es die App nicht mehr gibt, beenden Sie ihre Geräte mit `pushctl device prune`.',
  'The push was waiting when the restored backup was made. Most pushes that waited then have been sent since.':
    'Der Push wartete, als die Sicherung entstand, die inzwischen wiederhergestellt ist. Die meisten Pushes von damals sind schon gesendet.',
  'To send waiting pushes anyway, restore with `pushctl restore --resend`.':
    'Wenn wartende Pushes doch gesendet werden sollen, stellen Sie mit `pushctl restore --resend` wieder her.',
};

const UNDOCUMENTED = /^The provider answered (\d+) without a documented reason\.$/;

export const explained: Translation<typeof english> = (text) => {
  const own = SENTENCES[text];
  if (own !== undefined) return own;
  const [end, german] = ENDS.find(([sentence]) => text.endsWith(sentence)) ?? [];
  if (end === undefined) {
    return text.replace(UNDOCUMENTED, 'Der Anbieter antwortete mit $1, ohne einen Grund aus seiner Dokumentation.');
  }
  const before = text.slice(0, -end.length).trim();
  return before === '' ? String(german) : `${explained(before)} ${german}`;
};
