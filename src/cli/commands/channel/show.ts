import { quietInWords } from '../../../contract/quiet-hours.ts';
import type { OwnedDevice, ShownChannel } from '../../../store/calls.ts';
import { given } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { addShow, listingOf, type Noun } from '../../noun.ts';
import { CHANNEL } from '../../output/channel-table.ts';
import { DEVICE } from '../../output/device-table.ts';
import { printPages } from '../../output/listing.ts';
import { count, when } from '../../output/table.ts';
import { ALL, pagesOf } from '../../paging.ts';
import { insistText } from './insist.ts';
import { ringsText } from './rings.ts';

const SUBSCRIBER: Noun<OwnedDevice> = {
  ...DEVICE,
  columns: { MEMBER: ({ email }) => email, ...DEVICE.columns },
  empty: 'No device is subscribed yet. Subscribe one: pushctl device subscribe <id> <channel>',
};

const SHOWN_CHANNEL: Noun<ShownChannel> = { ...CHANNEL, fields: fieldsOf };

export function addChannelShow(channel: Command, context: CommandContext): void {
  addShow(channel, context, SHOWN_CHANNEL, {
    usage: 'show <workspace> <slug>',
    description: 'show a channel: its devices by route, the keys bound to it, its latest event',
    examples: ['pushctl channel show acme builds'],
    ask: (workspace, slug) => (store) => store.showChannel({ workspace, slug }),
  });

  channel
    .command('subscribers <workspace> <slug>')
    .description('list the devices subscribed to a channel, inactive ones too, and their owners')
    .examples('pushctl channel subscribers acme builds')
    .action((workspace: string, slug: string) => list(context, { workspace, slug }));
}

async function list(context: CommandContext, of: { readonly workspace: string; readonly slug: string }): Promise<void> {
  await context.withStore((store) => {
    const pages = pagesOf('devices', ALL, (limit, after) => store.listSubscribers(given({ ...of, limit, after })));
    return printPages(context, listingOf(SUBSCRIBER), pages);
  });
}

function fieldsOf(channel: ShownChannel) {
  const { slug, name, status, device_count, routes, bound_keys, insist, quiet, rings } = channel;
  const byRoute = routes.map(({ route, devices }) => `${devices.toLocaleString('en')} by ${route}`).join(', ');
  return {
    slug,
    name,
    status,
    created: when(channel.created_at),
    devices: device_count === 0 ? 'none' : `${count(device_count, 'active device')}: ${byRoute}`,
    'bound keys':
      bound_keys.map((key) => `${key.id} ${key.name}`).join(', ') || 'none; any key of the workspace may post',
    insists: insist === null ? 'no' : insistText(insist),
    'quiet hours': quiet === null ? 'none' : quietInWords(quiet),
    rings: ringsText(rings),
    'latest event': when(channel.last_event_at),
  };
}
