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

/** A browser with its push service, an iOS device with the environment where that is not the usual one. */
function platformOf({ platform, environment, push_service }: Device): string {
  const more = environment === 'sandbox' ? environment : push_service;
  return more === null ? platform : `${platform} (${more})`;
}

export function deviceTable(context: CommandContext, device: Device): string {
  return table(context, DEVICES.headings, DEVICES.rows(device), DEVICES.empty);
}
