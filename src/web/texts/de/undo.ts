import type { Translation } from '../../translation.ts';
import type { texts as english } from '../undo.ts';

export const texts: Translation<typeof english> = {
  undo: 'Rückgängig',
  taken: 'Sie haben den Alarm übernommen.',
  takenAll: (channel) => `Sie haben alle offenen Alarme in ${channel} übernommen.`,
  snoozed: 'Der Alarm ist aufgeschoben.',
  resolved: 'Der Alarm ist erledigt.',
};
