import { listed } from '../../format/list.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../waiting.ts';

export const texts: Translation<typeof english> = {
  waits: (names) => `${listed(names)} ${names.length === 1 ? 'wartet' : 'warten'} auf Ihren Einladungslink.`,
  open: 'Bitten Sie einen Admin des Arbeitsbereichs um den Link, und öffnen Sie ihn hier, solange Sie angemeldet sind.',
  title: (name) => `${name}: Ihr Einladungslink fehlt noch`,
  state: 'Ihr Einladungslink fehlt noch: Bitten Sie einen Admin darum, und öffnen Sie ihn hier',
  as: (role) => `als ${role}: Ihr Einladungslink fehlt noch`,
};
