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
