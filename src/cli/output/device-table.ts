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
      device.environment === 'sandbox' ? `${device.platform} (sandbox)` : device.platform,
      device.name,
      device.inactive_reason === null ? device.status : `${device.status}: ${device.inactive_reason}`,
      when(device.registered_at),
      device.channels.join(' '),
    ],
  ],
  empty: 'No devices yet. They come with the app, or by: pushctl device add <workspace> <email> …',
};

export function deviceTable(context: CommandContext, device: Device): string {
  return table(context, DEVICES.headings, DEVICES.rows(device), DEVICES.empty);
}
