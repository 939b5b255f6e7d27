import type { AppAddress } from '../../contract/app-addresses.ts';
import { common } from '../texts/common.ts';

/** A place in the navigation. `icon`: of nav-icon.tsx. */
export interface Place {
  readonly address: AppAddress;
  readonly name: string;
  readonly icon: 'inbox' | 'alerts' | 'channels' | 'devices' | 'settings';
}

/** For everyone: the bar at the bottom of a phone, the top of the rail elsewhere. */
export const OWN_PLACES: readonly Place[] = [
  { address: '/', name: common.nav.inbox, icon: 'inbox' },
  { address: '/alerts', name: common.nav.alerts, icon: 'alerts' },
  { address: '/channels', name: common.nav.channels, icon: 'channels' },
  { address: '/devices', name: common.nav.devices, icon: 'devices' },
  { address: '/settings', name: common.nav.settings, icon: 'settings' },
];
