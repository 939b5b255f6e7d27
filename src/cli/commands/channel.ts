import type { Command } from 'commander';
import type { Channel } from '../../store/calls.ts';
import { examples } from '../arguments.ts';
import { confirmDeletion } from '../confirm.ts';
import { granted, type Session } from '../session.ts';
import { table } from '../table.ts';

export function addChannel(program: Command, session: Session): void {
  const channel = program
    .command('channel')
    .description('what devices subscribe to and events are posted to')
    .addHelpText('after', examples('pushctl channel create acme builds'));

  channel
    .command('create <workspace> <slug>')
    .description('create a channel')
    .option('--name <name>', 'a name for people (default: the slug)')
    .addHelpText('after', examples('pushctl channel create acme builds --name "Build results"'))
    .action(async (workspace: string, slug: string, options: { name?: string }) => {
      const args = { workspace, slug, ...options };
      const created = granted(await session.withStore((store) => store.createChannel(args)));
      session.print({ channel: created }, () => list(session, [created]));
    });

  channel
    .command('list <workspace>')
    .description('list the channels of a workspace')
    .addHelpText('after', examples('pushctl channel list acme'))
    .action(async (workspace: string) => {
      const channels = granted(await session.withStore((store) => store.listChannels({ workspace })));
      session.print({ channels }, () => list(session, channels));
    });

  addStatusVerb(channel, session, 'activate', 'active', 'accept events again');
  addStatusVerb(channel, session, 'deactivate', 'inactive', 'refuse new events; queued ones are still sent');

  channel
    .command('delete <workspace> <slug>')
    .description('delete a channel with its subscriptions and events')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('pushctl channel delete acme builds', 'pushctl channel delete acme builds --yes'))
    .action((workspace: string, slug: string, { yes = false }: { yes?: boolean }) => {
      return remove(session, workspace, slug, yes);
    });
}

function addStatusVerb(
  channel: Command,
  session: Session,
  verb: string,
  status: Channel['status'],
  description: string,
): void {
  channel
    .command(`${verb} <workspace> <slug>`)
    .description(description)
    .addHelpText('after', examples(`pushctl channel ${verb} acme builds`))
    .action(async (workspace: string, slug: string) => {
      const changed = granted(await session.withStore((store) => store.updateChannel({ workspace, slug, status })));
      session.print({ channel: changed }, () => list(session, [changed]));
    });
}

async function remove(session: Session, workspace: string, slug: string, isSure: boolean): Promise<void> {
  await session.withStore(async (store) => {
    const channels = granted(await store.listChannels({ workspace }));
    const doomed = channels.find((one) => one.slug === slug);
    // Where there is none, the store's refusal names the nearest.
    if (doomed !== undefined && !isSure)
      await confirmDeletion(session, `channel ${workspace}/${slug} with its subscriptions and events`, slug);
    const deleted = granted(await store.deleteChannel({ workspace, slug }));
    session.print({ channel: deleted }, () => `Deleted the channel ${workspace}/${slug}.`);
  });
}

function list(session: Session, channels: readonly Channel[]): string {
  const rows = channels.map(({ slug, name, status, device_count }) => [slug, name, status, device_count]);
  const empty = 'No channels yet. Create one: pushctl channel create <workspace> <slug>';
  return table(session, ['SLUG', 'NAME', 'STATUS', 'DEVICES'], rows, empty);
}
