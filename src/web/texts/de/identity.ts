import type { Translation } from '../../translation.ts';
import type { texts as english } from '../identity.ts';

export const texts: Translation<typeof english> = {
  title: 'Identität bestätigen',
  text: 'Dafür ist eine frische Anmeldung nötig. Sie gilt zehn Minuten.',
  password: 'Passwort',
  pairing_code: 'Kopplungscode',
  codeHint:
    'Ein neuer: von einem anderen Ihrer Geräte oder auf dem Server mit pushctl member pair; von einem Admin, wenn es nur einen Arbeitsbereich gibt.',
  useCode: 'Stattdessen einen Kopplungscode verwenden',
  usePassword: 'Stattdessen das Passwort verwenden',
  confirm: 'Weiter',
};
