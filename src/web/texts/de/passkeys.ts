import type { Translation } from '../../translation.ts';
import type { texts as english } from '../passkeys.ts';

export const texts: Translation<typeof english> = {
  title: 'Passkeys',
  text: 'Melden Sie sich ohne Passwort an: mit dem Finger, dem Gesicht oder der PIN, mit denen Sie dieses Gerät entsperren. Ein Passkey gilt für die Arbeitsbereiche, die Sie jetzt hier sehen.',
  none: 'In diesem Browser gibt es keine Passkeys, die eine App verwenden kann.',
  add: 'Passkey hinzufügen',
  added: 'Hinzugefügt',
  used: 'Zuletzt verwendet',
  unnamed: 'Ein Passkey',
  givenUp: 'Es wurde kein Passkey angelegt: Die Abfrage wurde abgebrochen, oder dieses Gerät hat schon einen.',
  remove: 'Entfernen',
  question: (name) => `Passkey ${name} entfernen?`,
  removed: 'Er meldet Sie nicht mehr an. Bestehende Sitzungen bleiben angemeldet. Löschen Sie ihn auch auf dem Gerät.',
  signIn: 'Mit einem Passkey anmelden',
  use: 'Stattdessen einen Passkey verwenden',
  notGiven: 'Es wurde kein Passkey verwendet: Die Abfrage wurde abgebrochen, oder dieses Gerät hat keinen.',
};
