import type { ArgsOf } from '../../../store/calls.ts';
import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';
import { deviceTable } from '../../output/device-table.ts';
import { count, show } from '../../output/table.ts';

const CHANNEL_VERBS = [
  ['subscribe', 'subscribeDevice', 'subscribe a device to channels, from now on'],
  ['unsubscribe', 'unsubscribeDevice', 'unsubscribe a device from channels, and withdraw pushes queued there'],
] as const;
const MOVE_DETAILS = `
The device stays subscribed in the workspaces that the new owner belongs to, and
gets later events there. Its subscriptions elsewhere end, and pushes queued for
the previous owner are withdrawn. The app on the device must be signed in as the
new owner. If it registers the device as another person, the device moves to
that person.
`;

export function addDeviceChanges(device: Command, context: CommandContext): void {
  for (const [verb, call, description] of CHANNEL_VERBS) {
    device
      .command(`${verb} <id> <channel...>`)
      .description(`${description}; changes all the channels or none`)
      .option(
        '--workspace <workspace>',
        'workspace of the channels; required if the owner of the device belongs to several',
      )
      .examples(
        `pushctl device ${verb} dev_0123456789abcdef builds alerts`,
        `pushctl device ${verb} dev_0123456789abcdef builds --workspace acme`,
      )
      .action(async (id: string, channels: readonly string[], options: { workspace?: string }) => {
        const args: ArgsOf<typeof call> = { id, channels: [...new Set(channels)], ...options };
        const changed = unwrap(await context.withStore((store) => store[call](args)));
        context.print({ device: changed.device }, () => deviceTable(context, changed.device));
      });
  }

  device
    .command('move <id> <email>')
    .description('give a device to another person in a workspace of its owner')
    .details(MOVE_DETAILS)
    .examples('pushctl device move dev_0123456789abcdef bob@example.com')
    .action((id: string, email: string) => move(context, id, email));
}

async function move(context: CommandContext, id: string, email: string): Promise<void> {
  const { device, from, ended } = unwrap(await context.withStore((store) => store.moveDevice({ id, email })));
  context.print({ device, ended }, () => {
    if (device.email === from) return `The device ${id} is ${show(from)}'s already.`;
    const lost = ended === 0 ? '' : ` ${count(ended, 'subscription')} in other workspaces ended.`;
    return `The device ${id} of ${show(from)} is ${show(device.email)}'s now.${lost}\n${deviceTable(context, device)}`;
  });
}
