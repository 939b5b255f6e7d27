import type { Plan, StoreClient, Workspace, WorkspaceWithUsage } from '../../store/calls.ts';
import { allowance } from '../arguments.ts';
import { addList, addShow, type Command, type Noun, thingView } from '../command.ts';
import { type CommandContext, unwrap } from '../context.ts';
import { when } from '../output/table.ts';
import { confirmDeletion } from '../questions.ts';

const WORKSPACE: Noun<Workspace> = {
  name: 'workspace',
  plural: 'workspaces',
  columns: {
    SLUG: ({ slug }) => slug,
    NAME: ({ name }) => name,
    STATUS: ({ status }) => status,
    PLAN: ({ plan }) => plan,
    CREATED: ({ created_at }) => when(created_at),
  },
  fields: ({ slug, name, status, plan, created_at }) => ({ slug, name, status, plan, created: when(created_at) }),
  empty: 'No workspaces yet. Create one: pushctl workspace create <slug>',
};
const USED_WORKSPACE: Noun<Workspace & WorkspaceWithUsage> = {
  ...WORKSPACE,
  fields: ({ slug, name, status, plan, ...usage }) => ({
    ...{ slug, name, status, plan },
    'this month': `${usage.events_this_month} of ${usage.monthly_event_allowance ?? 'unlimited'} events`,
    resets: when(usage.allowance_resets_at),
  }),
};

const STATUS_VERBS = [
  ['suspend', 'suspended', 'suspend a workspace: reject its keys, except for pings, and hold its queue'],
  ['activate', 'active', 'activate a workspace: accept its keys and send its held queue'],
] as const;

export function addWorkspace(program: Command, context: CommandContext): void {
  const workspace = program
    .command('workspace')
    .description('tenants: each has its channels, keys and members')
    .examples('pushctl workspace create acme');

  workspace
    .command('create <slug>')
    .description('create a workspace')
    .option('--name <name>', 'a name for people (default: the slug)')
    .option('--plan <plan>', 'plan of the workspace (default: unlimited)')
    .examples('pushctl workspace create acme --name "Acme Ltd" --plan small')
    .action((slug: string, options: { name?: string; plan?: string }) => {
      const create = (store: StoreClient) => store.createWorkspace({ slug, ...options });
      return context.show('workspace', create, thingView(WORKSPACE), { canCreate: true });
    });

  addList(workspace, context, WORKSPACE, {
    usage: 'list',
    description: 'list all workspaces',
    examples: ['pushctl workspace list'],
    ask: () => (store) => store.listWorkspaces({}),
  });

  addShow(workspace, context, USED_WORKSPACE, {
    usage: 'show <slug>',
    description: 'show a workspace and its usage this month',
    examples: ['pushctl workspace show acme'],
    ask: (slug) => (store) => store.showWorkspace({ slug }),
  });

  workspace
    .command('rename <slug> <name>')
    .description('change the name that people see; the slug, which programs use, stays')
    .examples('pushctl workspace rename acme "Acme Holding"')
    .action((slug: string, name: string) =>
      context.show('workspace', (store) => store.renameWorkspace({ slug, name }), thingView(WORKSPACE)),
    );

  for (const [verb, status, description] of STATUS_VERBS) {
    workspace
      .command(`${verb} <slug>`)
      .description(description)
      .examples(`pushctl workspace ${verb} acme`)
      .action((slug: string) =>
        context.show('workspace', (store) => store.setWorkspaceStatus({ slug, status }), thingView(WORKSPACE)),
      );
  }

  workspace
    .command('set-plan <slug> <plan>')
    .description('change the plan of a workspace')
    .examples('pushctl workspace set-plan acme unlimited')
    .action((slug: string, plan: string) =>
      context.show('workspace', (store) => store.setWorkspacePlan({ slug, plan }), thingView(WORKSPACE)),
    );

  workspace
    .command('delete <slug>')
    .description('delete a workspace with everything in it')
    .option('--yes', 'skip the confirmation')
    .examples('pushctl workspace delete acme --yes')
    .action((slug: string, options: { yes?: boolean }) => remove(context, slug, options.yes === true));
}

async function remove(context: CommandContext, slug: string, isSure: boolean): Promise<void> {
  await context.withStore(async (store) => {
    const isThere = (await store.listWorkspaces({})).some((workspace) => workspace.slug === slug);
    // The store's refusal names the nearest match.
    if (isThere && !isSure) await confirmDeletion(context, `workspace ${slug} with everything in it`, slug);
    const deleted = unwrap(await store.deleteWorkspace({ slug }));
    context.print({ workspace: deleted }, () => `Deleted the workspace ${slug}.`);
  });
}

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
    .action((name: string, { events }: { events: number | 'unlimited' }) => {
      const monthlyEvents = events === 'unlimited' ? null : events;
      const set = (store: StoreClient) => store.setPlan({ name, monthlyEvents });
      return context.show('plan', set, thingView(PLAN), { canCreate: true });
    });

  addList(plan, context, PLAN, {
    usage: 'list',
    description: 'list all plans',
    examples: ['pushctl plan list'],
    ask: () => (store) => store.listPlans({}),
  });
}
