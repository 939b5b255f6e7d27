import type { Command } from 'commander';
import type { ShownChannel } from '../../../store/calls.ts';
import type { OwnedDevice } from '../../../store/people-calls.ts';
import { examples } from '../../arguments.ts';
import { DEVICES } from '../../output/device-table.ts';
import { type Listing, printPages } from '../../output/listing.ts';
import { count, fields, when } from '../../output/table.ts';
import { pagesOf } from '../../pages.ts';
import { granted, type Session } from '../../session.ts';

const SUBSCRIBERS: Listing<OwnedDevice> = {
  name: 'devices',
  headings: ['MEMBER', ...DEVICES.headings],
  rows: (device) => DEVICES.rows(device).map((row) => [device.email, ...row]),
  empty: 'Nobody listens there yet. Subscribe a device: pushctl device subscribe <id> <channel>',
};

/** The verbs that look at one channel. */
export function addChannelViews(channel: Command, session: Session): void {
  channel
    .command('show <workspace> <slug>')
    .description('show a channel: its devices by route, the keys that are bound to it, its latest event')
    .addHelpText('after', examples('pushctl channel show acme builds'))
    .action(async (workspace: string, slug: string) => {
      const shown = granted(await session.withStore((store) => store.showChannel({ workspace, slug })));
      session.print({ channel: shown }, () => one(session, shown));
    });

  channel
    .command('subscribers <workspace> <slug>')
    .description('list the devices that listen on a channel, inactive ones too, and whose they are')
    .addHelpText('after', examples('pushctl channel subscribers acme builds'))
    .action((workspace: string, slug: string) => list(session, { workspace, slug }));
}

async function list(session: Session, of: { readonly workspace: string; readonly slug: string }): Promise<void> {
  await session.withStore((store) => {
    const pages = pagesOf(Number.POSITIVE_INFINITY, async (limit, after) => {
      const page = granted(await store.listSubscribers({ ...of, limit, ...(after !== undefined && { after }) }));
      return { items: page.devices, next: page.next };
    });
    return printPages(session, SUBSCRIBERS, pages);
  });
}

function one(session: Session, channel: ShownChannel): string {
  const { slug, name, status, device_count, routes, bound_keys } = channel;
  const byRoute = routes.map(({ route, devices }) => `${devices.toLocaleString('en')} by ${route}`).join(', ');
  return fields(session, {
    slug,
    name,
    status,
    created: when(channel.created_at),
    devices: device_count === 0 ? 'none' : `${count(device_count, 'active device')}: ${byRoute}`,
    'bound keys':
      bound_keys.map((key) => `${key.id} ${key.name}`).join(', ') || 'none; any key of the workspace may post',
    'latest event': when(channel.last_event_at),
  });
}
