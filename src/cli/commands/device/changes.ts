import { Option } from 'commander';
import { OperatorProblem } from '../../../process/problem.ts';
import { ROUTES, type Route } from '../../../push.ts';
import type { ArgsOf, StoreClient } from '../../../store/calls.ts';
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

interface PruneOptions {
  readonly route: Route;
  readonly reason: string;
  readonly yes?: true;
}

export function addDevicePrune(device: Command, context: CommandContext): void {
  device
    .command('prune')
    .description(
      'deactivate devices that a route rejects for an unclear reason (see route list); without --yes, only count them',
    )
    .addOption(new Option('--route <route>', 'only devices of this route').choices(ROUTES).makeOptionMandatory())
    .requiredOption('--reason <reason>', 'only devices rejected for this reason')
    .option('--yes', 'deactivate them')
    .examples(
      'pushctl device prune --route apns_production --reason BadDeviceToken',
      'pushctl device prune --route apns_production --reason BadDeviceToken --yes',
    )
    .action((options: PruneOptions) => context.withStore((store) => prune(context, store, options)));
}

async function prune(context: CommandContext, store: StoreClient, { route, reason, yes }: PruneOptions): Promise<void> {
  const { devices, accepted_before } = await doomed(store, route, reason);
  if (yes !== true) {
    const answer = { route, reason, devices, accepted_before, pruned: 0 };
    context.print(answer, () => dryRun(answer));
    return;
  }
  let pruned = 0;
  for (let more = true; more; ) {
    const step = await store.pruneDevices({ route, reason });
    pruned += step.pruned;
    more = step.more;
  }
  const done = `${count(pruned, 'device')} of ${route} ${pruned === 1 ? 'is' : 'are'} inactive now: ${reason}.`;
  context.print({ route, reason, devices, accepted_before, pruned }, () => done);
}

async function doomed(store: StoreClient, route: Route, reason: string) {
  const quarantined = (await store.listRoutes({})).find((row) => row.route === route)?.quarantined ?? [];
  const found = quarantined.find((devices) => devices.reason === reason);
  if (found !== undefined || quarantined.length === 0) return found ?? { devices: 0, accepted_before: 0 };
  const known = quarantined.map((devices) => devices.reason).join(', ');
  throw new OperatorProblem(`no device of ${route} is rejected with "${reason}". Reasons there: ${known}`, 2);
}

interface Doomed extends Pick<PruneOptions, 'route' | 'reason'> {
  readonly devices: number;
  readonly accepted_before: number;
}

function dryRun({ route, reason, devices, accepted_before }: Doomed): string {
  if (devices === 0) return `No device of ${route} needs a decision.`;
  const good = `${accepted_before} of them received pushes with the same token before, so the configuration may be wrong. Run pushctl doctor first.`;
  return [
    `${count(devices, 'device')} of ${route}, rejected with ${reason}, would become inactive and lose queued pushes. Nothing was changed.`,
    ...(accepted_before > 0 ? [good] : []),
    'A device becomes active again if its app registers. To deactivate them, pass --yes.',
  ].join('\n');
}
