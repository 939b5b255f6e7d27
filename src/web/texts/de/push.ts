import type { Translation } from '../../translation.ts';
import type { texts as english } from '../push.ts';

export const texts: Translation<typeof english> = {
  notAllowed:
    'Der Browser durfte keine Benachrichtigungen zeigen. Geändert hat sich nichts; ein neuer Versuch ist jederzeit möglich.',
  noAnswer:
    'Der Push-Dienst des Browsers antwortet nicht. Manche Browser haben keinen, und manche Netze sperren ihn: Versuchen Sie es noch einmal, oder in einem anderen Browser.',
  refused: (why) =>
    `Der Browser konnte keine Push-Nachrichten abonnieren: ${why}. Private Fenster und manche Browser erlauben es nicht; in einem anderen geht es.`,
};
