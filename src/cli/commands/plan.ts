import type { Plan, StoreClient } from '../../store/calls.ts';
import { allowance } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CommandContext, unwrap } from '../context.ts';
import { addList, type Noun, thingView } from '../noun.ts';

const PLAN: Noun<Plan> = {
  name: 'plan',
  plural: 'plans',
  columns: {
    PLAN: ({ name }) => name,
    'EVENTS A MONTH': (plan) => plan.monthly_event_allowance ?? 'unlimited',
  },
  empty: 'No plans.',
};

export function addPlan(program: Command, context: CommandContext): void {
  const plan = program
    .command('plan')
    .description('monthly event limits of workspaces')
    .examples('pushctl plan set small --events 10000');

  plan
    .command('set <name>')
    .description('create a plan, or change it for all workspaces on it')
    .requiredOption('--events <number|unlimited>', 'events a month', allowance)
    .examples('pushctl plan set small --events 10000', 'pushctl plan set large --events unlimited')
    .action(async (name: string, { events }: { events: number | 'unlimited' }) => {
      const monthlyEvents = events === 'unlimited' ? null : events;
      const set = (store: StoreClient) => store.setPlan({ name, monthlyEvents });
      const saved = unwrap(await context.withStore(set, { canCreate: true }));
      context.print({ plan: saved }, () => thingView(PLAN)(context, saved));
    });

  addList(plan, context, PLAN, {
    usage: 'list',
    description: 'list all plans',
    examples: ['pushctl plan list'],
    ask: () => (store) => store.listPlans({}),
  });
}
