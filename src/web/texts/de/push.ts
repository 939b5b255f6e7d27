import type { Translation } from '../../translation.ts';
import type { texts as english } from '../push.ts';

export const texts: Translation<typeof english> = {
  notAllowed:
    'Der Browser durfte keine Benachrichtigungen zeigen. Nichts hat sich geändert; Sie können es jederzeit noch einmal versuchen.',
  noAnswer:
    'Der Push-Dienst des Browsers antwortet nicht. Manche Browser haben keinen, und manche Netze sperren ihn. Versuchen Sie es noch einmal, oder verwenden Sie einen anderen Browser.',
  refused: (why) =>
    `Der Browser konnte keine Push-Nachrichten abonnieren: ${why}. Private Fenster und manche Browser erlauben es nicht. Versuchen Sie einen anderen.`,
};
