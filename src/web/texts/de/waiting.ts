import { listed } from '../../format/list.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../waiting.ts';

export const texts: Translation<typeof english> = {
  waits: (names) => `${listed(names)} ${names.length === 1 ? 'wartet' : 'warten'} auf Ihren Einladungslink.`,
  open: 'Ein Admin dort stellt einen aus; öffnen Sie ihn hier, in dieser Sitzung.',
  title: (name) => `${name}: Einladungslink fehlt noch`,
  state: 'Einladungslink fehlt noch: Ein Admin dort stellt einen aus, und Sie öffnen ihn hier',
  as: (role) => `als ${role}: Einladungslink fehlt noch`,
};
