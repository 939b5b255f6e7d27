import type { Translation } from '../../translation.ts';
import type { texts as english } from '../passkeys.ts';

export const texts: Translation<typeof english> = {
  title: 'Passkeys',
  text: 'Melden Sie sich mit Finger, Gesicht oder PIN an, wie Sie dieses Gerät entsperren, ohne Passwort. Ein Passkey gilt für die Arbeitsbereiche, die Sie jetzt hier sehen.',
  none: 'In diesem Browser gibt es keine Passkeys, die eine App verwenden kann.',
  add: 'Passkey hinzufügen',
  added: 'Hinzugefügt',
  used: 'Zuletzt verwendet',
  unnamed: 'Ein Passkey',
  givenUp: 'Es wurde kein Passkey angelegt: Die Abfrage wurde abgebrochen, oder es gibt hier schon einen.',
  remove: 'Entfernen',
  question: (name) => `Passkey ${name} entfernen?`,
  removed:
    'Er meldet nirgends mehr an. Wo damit schon angemeldet wurde, bleibt die Sitzung. Auf dem Gerät muss er eigens gelöscht werden.',
  signIn: 'Mit einem Passkey anmelden',
  use: 'Stattdessen einen Passkey verwenden',
  notGiven: 'Es wurde kein Passkey verwendet: Die Abfrage wurde abgebrochen, oder es gibt hier keinen.',
};
