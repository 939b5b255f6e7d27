import { listed } from '../../format/list.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../waiting.ts';

export const texts: Translation<typeof english> = {
  waits: (names) => `${listed(names)} ${names.length === 1 ? 'wartet' : 'warten'} auf den eigenen Einladungslink.`,
  open: 'Ein Admin dort stellt einen aus; geöffnet wird er hier, in dieser Sitzung.',
  title: (name) => `${name} wartet auf den eigenen Einladungslink`,
  state: 'wartet auf den eigenen Einladungslink: Ein Admin dort stellt einen aus, geöffnet wird er hier',
  as: (role) => `als ${role}: wartet auf den eigenen Einladungslink`,
};
