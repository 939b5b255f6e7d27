import type { Command } from 'commander';
import type { Plan, StoreClient } from '../../store/calls.ts';
import { allowance, examples } from '../arguments.ts';
import { table } from '../output/table.ts';
import { granted, type Session } from '../session.ts';

export function addPlan(program: Command, session: Session): void {
  const plan = program
    .command('plan')
    .description('how many events a month a workspace may post')
    .addHelpText('after', examples('pushctl plan set small --events 10000'));

  plan
    .command('set <name>')
    .description('create a plan or change it, for all workspaces on it')
    .requiredOption('--events <number|unlimited>', 'events a month', allowance)
    .addHelpText(
      'after',
      examples('pushctl plan set small --events 10000', 'pushctl plan set large --events unlimited'),
    )
    .action(async (name: string, { events }: { events: number | 'unlimited' }) => {
      const monthlyEvents = events === 'unlimited' ? null : events;
      const set = (store: StoreClient) => store.setPlan({ name, monthlyEvents });
      const saved = granted(await session.withStore(set, { mayCreate: true }));
      session.print({ plan: saved }, () => list(session, [saved]));
    });

  plan
    .command('list')
    .description('list all plans')
    .addHelpText('after', examples('pushctl plan list'))
    .action(async () => {
      const plans = await session.withStore((store) => store.listPlans({}));
      session.print({ plans }, () => list(session, plans));
    });
}

function list(session: Session, plans: readonly Plan[]): string {
  const rows = plans.map(({ name, monthly_event_allowance }) => [name, monthly_event_allowance ?? 'unlimited']);
  return table(session, ['PLAN', 'EVENTS A MONTH'], rows, 'No plans.');
}
