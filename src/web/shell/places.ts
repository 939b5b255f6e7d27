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

/** For owners and admins, below the name of a workspace that they run. */
export const WORKSPACE_PLACES: readonly Omit<Place, 'icon'>[] = [
  { address: '/w/{workspace}', name: common.nav.overview },
  { address: '/w/{workspace}/events', name: common.nav.events },
  { address: '/w/{workspace}/send', name: common.nav.send },
  { address: '/w/{workspace}/channels', name: common.nav.channels },
  { address: '/w/{workspace}/heartbeats', name: common.nav.heartbeats },
  { address: '/w/{workspace}/keys', name: common.nav.keys },
  { address: '/w/{workspace}/members', name: common.nav.members },
  { address: '/w/{workspace}/devices', name: common.nav.devices },
  { address: '/w/{workspace}/audit', name: common.nav.audit },
];
