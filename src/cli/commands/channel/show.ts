import { quietInWords } from '../../../contract/quiet-hours.ts';
import type { OwnedDevice, ShownChannel } from '../../../store/calls.ts';
import { given } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { DEVICES } from '../../output/device-table.ts';
import { type Listing, printPages } from '../../output/listing.ts';
import { count, fields, when } from '../../output/table.ts';
import { ALL, pagesOf } from '../../paging.ts';
import { insistText } from './insist.ts';

const SUBSCRIBERS: Listing<OwnedDevice> = {
  name: 'devices',
  headings: ['MEMBER', ...DEVICES.headings],
  rows: (device) => DEVICES.rows(device).map((row) => [device.email, ...row]),
  empty: 'No device listens there yet. Subscribe a device: pushctl device subscribe <id> <channel>',
};

/** The commands that look at one channel. */
export function addChannelShow(channel: Command, context: CommandContext): void {
  channel
    .command('show <workspace> <slug>')
    .description('show a channel: its devices by route, the keys that are bound to it, its latest event')
    .examples('pushctl channel show acme builds')
    .action((workspace: string, slug: string) =>
      context.show('channel', (store) => store.showChannel({ workspace, slug }), formatChannel),
    );

  channel
    .command('subscribers <workspace> <slug>')
    .description('list the devices that listen on a channel, inactive ones too, and whose they are')
    .examples('pushctl channel subscribers acme builds')
    .action((workspace: string, slug: string) => list(context, { workspace, slug }));
}

async function list(context: CommandContext, of: { readonly workspace: string; readonly slug: string }): Promise<void> {
  await context.withStore((store) => {
    const pages = pagesOf('devices', ALL, (limit, after) => store.listSubscribers(given({ ...of, limit, after })));
    return printPages(context, SUBSCRIBERS, pages);
  });
}

function formatChannel(context: CommandContext, channel: ShownChannel): string {
  const { slug, name, status, device_count, routes, bound_keys, insist, quiet } = channel;
  const byRoute = routes.map(({ route, devices }) => `${devices.toLocaleString('en')} by ${route}`).join(', ');
  return fields(context, {
    slug,
    name,
    status,
    created: when(channel.created_at),
    devices: device_count === 0 ? 'none' : `${count(device_count, 'active device')}: ${byRoute}`,
    'bound keys':
      bound_keys.map((key) => `${key.id} ${key.name}`).join(', ') || 'none; any key of the workspace may post',
    insists: insist === null ? 'no' : insistText(insist),
    'quiet hours': quiet === null ? 'none' : quietInWords(quiet),
    'latest event': when(channel.last_event_at),
  });
}
