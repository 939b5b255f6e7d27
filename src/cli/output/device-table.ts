import type { Device } from '../../store/calls.ts';
import type { CommandContext } from '../context.ts';
import type { Listing } from './listing.ts';
import { table, when } from './table.ts';

/** How devices are shown, wherever some are. */
export const DEVICES: Listing<Device> = {
  name: 'devices',
  headings: ['ID', 'PLATFORM', 'NAME', 'STATUS', 'REGISTERED', 'CHANNELS'],
  rows: (device) => [
    [
      device.id,
      platformOf(device),
      device.name,
      device.inactive_reason === null ? device.status : `${device.status}: ${device.inactive_reason}`,
      when(device.registered_at),
      device.channels.join(' '),
    ],
  ],
  empty: 'No devices yet. They come with the app, or by: pushctl device add <workspace> <email> …',
};

/** A browser with its push service, an iOS device with environment and app where these are not the usual ones. */
function platformOf({ platform, environment, push_service, app }: Device): string {
  const more = [environment === 'sandbox' ? environment : null, app, push_service].filter((one) => one !== null);
  return more.length === 0 ? platform : `${platform} (${more.join(', ')})`;
}

export function deviceTable(context: CommandContext, device: Device): string {
  return table(context, DEVICES.headings, DEVICES.rows(device), DEVICES.empty);
}
