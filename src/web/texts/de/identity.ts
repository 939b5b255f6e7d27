import type { Translation } from '../../translation.ts';
import type { texts as english } from '../identity.ts';

export const texts: Translation<typeof english> = {
  title: 'Identität bestätigen',
  text: 'Dafür ist eine frische Anmeldung nötig. Sie gilt zehn Minuten.',
  password: 'Passwort',
  pairing_code: 'Kopplungscode',
  codeHint:
    'Erzeugen Sie einen neuen Code auf einem anderen Ihrer Geräte oder auf dem Server mit pushctl member pair. Wenn Sie nur einen Arbeitsbereich haben, können auch dessen Admins einen erzeugen.',
  useCode: 'Stattdessen einen Kopplungscode verwenden',
  usePassword: 'Stattdessen das Passwort verwenden',
  confirm: 'Weiter',
};
