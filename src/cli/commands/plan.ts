import type { Plan, StoreClient } from '../../store/calls.ts';
import { allowance } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CommandContext, unwrap } from '../context.ts';
import { table } from '../output/table.ts';

export function addPlan(program: Command, context: CommandContext): void {
  const plan = program
    .command('plan')
    .description('how many events a month a workspace may post')
    .examples('pushctl plan set small --events 10000');

  plan
    .command('set <name>')
    .description('create a plan or change it, for all workspaces on it')
    .requiredOption('--events <number|unlimited>', 'events a month', allowance)
    .examples('pushctl plan set small --events 10000', 'pushctl plan set large --events unlimited')
    .action(async (name: string, { events }: { events: number | 'unlimited' }) => {
      const monthlyEvents = events === 'unlimited' ? null : events;
      const set = (store: StoreClient) => store.setPlan({ name, monthlyEvents });
      const saved = unwrap(await context.withStore(set, { canCreate: true }));
      context.print({ plan: saved }, () => list(context, [saved]));
    });

  plan
    .command('list')
    .description('list all plans')
    .examples('pushctl plan list')
    .action(() => context.show('plans', (store) => store.listPlans({}), list));
}

function list(context: CommandContext, plans: readonly Plan[]): string {
  const rows = plans.map(({ name, monthly_event_allowance }) => [name, monthly_event_allowance ?? 'unlimited']);
  return table(context, ['PLAN', 'EVENTS A MONTH'], rows, 'No plans.');
}
