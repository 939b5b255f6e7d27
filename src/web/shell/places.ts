import type { AppAddress } from '../../contract/app-addresses.ts';
import type { Icon } from './nav-icon.tsx';

/** For everyone: the bar at the bottom of a phone, the top of the rail elsewhere. `name`: of its text and its icon. */
export const OWN_PLACES: readonly { readonly address: AppAddress; readonly name: Icon }[] = [
  { address: '/', name: 'inbox' },
  { address: '/alerts', name: 'alerts' },
  { address: '/channels', name: 'channels' },
  { address: '/devices', name: 'devices' },
  { address: '/settings', name: 'settings' },
];
