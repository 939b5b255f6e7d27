import { Option } from 'commander';
import { OperatorProblem } from '../../../process/problem.ts';
import { ROUTES, type Route } from '../../../push.ts';
import type { StoreClient } from '../../../store/calls.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { count } from '../../output/table.ts';

interface PruneOptions {
  readonly route: Route;
  readonly reason: string;
  readonly yes?: true;
}

export function addDevicePrune(device: Command, context: CommandContext): void {
  device
    .command('prune')
    .description(
      'end devices that a route refuses and nothing could settle (see route list); without --yes it only counts them',
    )
    .addOption(new Option('--route <route>', 'on this way out').choices(ROUTES).makeOptionMandatory())
    .requiredOption('--reason <reason>', 'refused for this reason')
    .option('--yes', 'do it')
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
  throw new OperatorProblem(`no device of ${route} is refused with "${reason}", but with: ${known}`, 2);
}

interface Doomed extends Pick<PruneOptions, 'route' | 'reason'> {
  readonly devices: number;
  readonly accepted_before: number;
}

function dryRun({ route, reason, devices, accepted_before }: Doomed): string {
  if (devices === 0) return `No device of ${route} waits for a decision.`;
  const good = `${accepted_before} of them took pushes before with the same token, which speaks for a mistake of ours: look at pushctl doctor first.`;
  return [
    `${count(devices, 'device')} of ${route}, refused with ${reason}, would become inactive, and what waits for them end. Nothing was changed.`,
    ...(accepted_before > 0 ? [good] : []),
    'A device whose app registers again comes back. To do it, say --yes.',
  ].join('\n');
}
