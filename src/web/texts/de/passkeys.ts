import type { Translation } from '../../translation.ts';
import type { texts as english } from '../passkeys.ts';

export const texts: Translation<typeof english> = {
  title: 'Passkeys',
  text: 'Anmelden mit Finger, Gesicht oder PIN, wie man dieses Gerät entsperrt, ohne Passwort. Ein Passkey meldet bei den Arbeitsbereichen an, die jetzt hier zu sehen sind.',
  none: 'In diesem Browser gibt es keine Passkeys, die eine App verwenden kann.',
  add: 'Passkey hinzufügen',
  added: 'Hinzugefügt',
  used: 'Zuletzt verwendet',
  unnamed: 'Ein Passkey',
  givenUp: 'Es wurde kein Passkey angelegt: Die Frage wurde geschlossen, oder es gibt hier schon einen.',
  remove: 'Entfernen',
  question: (name) => `Passkey ${name} entfernen?`,
  removed:
    'Er meldet nirgends mehr an. Wo damit schon angemeldet wurde, bleibt die Sitzung. Auf dem Gerät muss er eigens gelöscht werden.',
  signIn: 'Mit einem Passkey anmelden',
  use: 'Stattdessen einen Passkey verwenden',
  notGiven: 'Es wurde kein Passkey verwendet: Die Frage wurde geschlossen, oder es gibt hier keinen.',
};
