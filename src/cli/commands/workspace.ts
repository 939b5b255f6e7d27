import type { Command } from 'commander';
import type { StoreClient, Workspace, WorkspaceWithUsage } from '../../store/calls.ts';
import { examples } from '../arguments.ts';
import { confirmDeletion } from '../confirm.ts';
import { fields, table, when } from '../output/table.ts';
import { granted, type Session } from '../session.ts';

export function addWorkspace(program: Command, session: Session): void {
  const workspace = program
    .command('workspace')
    .description('tenants: each has its channels, keys and members')
    .addHelpText('after', examples('pushctl workspace create acme'));

  workspace
    .command('create <slug>')
    .description('create a workspace')
    .option('--name <name>', 'a name for people (default: the slug)')
    .option('--plan <plan>', 'its plan (default: unlimited)')
    .addHelpText('after', examples('pushctl workspace create acme --name "Acme Ltd" --plan small'))
    .action(async (slug: string, options: { name?: string; plan?: string }) => {
      const create = (store: StoreClient) => store.createWorkspace({ slug, ...options });
      const created = granted(await session.withStore(create, { mayCreate: true }));
      session.print({ workspace: created }, () => one(session, created));
    });

  workspace
    .command('list')
    .description('list all workspaces')
    .addHelpText('after', examples('pushctl workspace list'))
    .action(async () => {
      const workspaces = await session.withStore((store) => store.listWorkspaces({}));
      session.print({ workspaces }, () => list(session, workspaces));
    });

  workspace
    .command('show <slug>')
    .description('show a workspace and what it has used this month')
    .addHelpText('after', examples('pushctl workspace show acme'))
    .action(async (slug: string) => {
      const shown = granted(await session.withStore((store) => store.showWorkspace({ slug })));
      session.print({ workspace: shown }, () => withUsage(session, shown));
    });

  workspace
    .command('rename <slug> <name>')
    .description('give a workspace another name for people; the slug, which programs use, stays')
    .addHelpText('after', examples('pushctl workspace rename acme "Acme Holding"'))
    .action(async (slug: string, name: string) => {
      const renamed = granted(await session.withStore((store) => store.renameWorkspace({ slug, name })));
      session.print({ workspace: renamed }, () => one(session, renamed));
    });

  addStatusVerb(workspace, session, 'suspend', 'suspended', 'refuse its keys and hold its queue');
  addStatusVerb(workspace, session, 'activate', 'active', 'accept its keys again and send what was held');

  workspace
    .command('set-plan <slug> <plan>')
    .description('change its plan')
    .addHelpText('after', examples('pushctl workspace set-plan acme unlimited'))
    .action(async (slug: string, plan: string) => {
      const changed = granted(await session.withStore((store) => store.setWorkspacePlan({ slug, plan })));
      session.print({ workspace: changed }, () => one(session, changed));
    });

  workspace
    .command('delete <slug>')
    .description('delete a workspace with everything in it')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('pushctl workspace delete acme --yes'))
    .action((slug: string, options: { yes?: boolean }) => remove(session, slug, options.yes === true));
}

function addStatusVerb(
  workspace: Command,
  session: Session,
  verb: string,
  status: Workspace['status'],
  description: string,
): void {
  workspace
    .command(`${verb} <slug>`)
    .description(description)
    .addHelpText('after', examples(`pushctl workspace ${verb} acme`))
    .action(async (slug: string) => {
      const changed = granted(await session.withStore((store) => store.setWorkspaceStatus({ slug, status })));
      session.print({ workspace: changed }, () => one(session, changed));
    });
}

async function remove(session: Session, slug: string, isSure: boolean): Promise<void> {
  await session.withStore(async (store) => {
    const workspaces = await store.listWorkspaces({});
    const doomed = workspaces.find((one) => one.slug === slug);
    // Where there is none, the store's refusal names the nearest.
    if (doomed !== undefined && !isSure)
      await confirmDeletion(session, `workspace ${slug} with everything in it`, slug);
    const deleted = granted(await store.deleteWorkspace({ slug }));
    session.print({ workspace: deleted }, () => `Deleted the workspace ${slug}.`);
  });
}

function one(session: Session, { slug, name, status, plan, created_at }: Workspace): string {
  return fields(session, { slug, name, status, plan, created: when(created_at) });
}

function list(session: Session, workspaces: readonly Workspace[]): string {
  const rows = workspaces.map(({ slug, name, status, plan, created_at }) => [
    slug,
    name,
    status,
    plan,
    when(created_at),
  ]);
  const empty = 'No workspaces yet. Create one: pushctl workspace create <slug>';
  return table(session, ['SLUG', 'NAME', 'STATUS', 'PLAN', 'CREATED'], rows, empty);
}

function withUsage(session: Session, workspace: WorkspaceWithUsage): string {
  const { slug, name, status, plan, monthly_event_allowance: allowance, events_this_month: used } = workspace;
  const usage = `${used} of ${allowance ?? 'unlimited'} events`;
  const resets = when(workspace.allowance_resets_at);
  return fields(session, { slug, name, status, plan, 'this month': usage, 'counts anew': resets });
}
