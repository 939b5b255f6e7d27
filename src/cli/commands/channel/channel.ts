import { quietInWords } from '../../../contract/ringing.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { Channel, OwnedDevice, ShownChannel } from '../../../store/calls.ts';
import { given } from '../../arguments.ts';
import { addList, addShow, type Command, listingOf, type Noun, thingView } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';
import { DEVICE } from '../../output/device-table.ts';
import { ALL, pagesOf, printPages } from '../../output/listing.ts';
import { count, when } from '../../output/table.ts';
import { confirm, confirmDeletion } from '../../questions.ts';
import { addChannelInsist, addChannelQuiet, addChannelRings, insistText, ringsText } from './ringing.ts';

const STATUS_VERBS = [
  ['activate', 'active', 'accept events again'],
  ['deactivate', 'inactive', 'reject new events; queued events are still sent'],
] as const;
const RENAME_DETAILS = `
A channel with a new slug keeps its subscriptions, its events and the keys that
are bound to it. Queued pushes are still sent. Programs must use the new slug at
once. On devices, later events no longer replace earlier events with the same
collapse_key.
`;

export function addChannel(program: Command, context: CommandContext): void {
  const channel = program
    .command('channel')
    .description('channels: devices subscribe to them, and events are posted to them')
    .examples('pushctl channel create acme builds');

  channel
    .command('create <workspace> <slug>')
    .description('create a channel')
    .option('--name <name>', 'a name for people (default: the slug)')
    .examples('pushctl channel create acme builds --name "Build results"')
    .action((workspace: string, slug: string, options: { name?: string }) =>
      context.show('channel', (store) => store.createChannel({ workspace, slug, ...options }), thingView(CHANNEL)),
    );

  addList(channel, context, CHANNEL, {
    usage: 'list <workspace>',
    description: 'list the channels of a workspace',
    examples: ['pushctl channel list acme'],
    ask: (workspace) => (store) => store.listChannels({ workspace }),
  });

  addChannelShow(channel, context);
  addChannelInsist(channel, context);
  addChannelQuiet(channel, context);
  addChannelRings(channel, context);

  channel
    .command('rename <workspace> <slug> [name]')
    .description('change the name that people see; with --slug, also the slug that programs post to')
    .option('--slug <slug>', 'the new slug; from then on, posts to the old slug get a 404')
    .option('--yes', 'skip the confirmation')
    .details(RENAME_DETAILS)
    .examples(
      'pushctl channel rename acme builds "Build results"',
      'pushctl channel rename acme builds --slug ci-builds --yes',
    )
    .action((workspace: string, slug: string, name: string | undefined, options: RenameOptions) => {
      return rename(context, given({ workspace, slug, name }), options);
    });

  for (const [verb, status, description] of STATUS_VERBS) {
    channel
      .command(`${verb} <workspace> <slug>`)
      .description(description)
      .examples(`pushctl channel ${verb} acme builds`)
      .action((workspace: string, slug: string) =>
        context.show('channel', (store) => store.updateChannel({ workspace, slug, status }), thingView(CHANNEL)),
      );
  }

  channel
    .command('delete <workspace> <slug>')
    .description('delete a channel with its subscriptions and events')
    .option('--yes', 'skip the confirmation')
    .examples('pushctl channel delete acme builds', 'pushctl channel delete acme builds --yes')
    .action((workspace: string, slug: string, { yes = false }: { yes?: boolean }) => {
      return remove(context, workspace, slug, yes);
    });
}

interface RenameOptions {
  readonly slug?: string;
  readonly yes?: boolean;
}

async function rename(
  context: CommandContext,
  change: { readonly workspace: string; readonly slug: string; readonly name?: string },
  { slug: newSlug, yes: isSure = false }: RenameOptions,
): Promise<void> {
  const { workspace, slug, name } = change;
  if (name === undefined && newSlug === undefined) {
    throw new OperatorProblem('nothing to rename', 2, { advice: 'pass a name, or --slug with a new slug' });
  }
  await context.withStore(async (store) => {
    // Rejects a wrong name before the question.
    const known = unwrap(await store.listChannels({ workspace })).some((channel) => channel.slug === slug);
    if (known && newSlug !== undefined && newSlug !== slug && !isSure) {
      await confirm(context, `posts to ${workspace}/${slug} get a 404 until their senders use ${newSlug}`, slug);
    }
    const renamed = unwrap(await store.updateChannel(given({ ...change, newSlug })));
    context.print({ channel: renamed }, () => thingView(CHANNEL)(context, renamed));
  });
}

async function remove(context: CommandContext, workspace: string, slug: string, isSure: boolean): Promise<void> {
  await context.withStore(async (store) => {
    const isThere = unwrap(await store.listChannels({ workspace })).some((channel) => channel.slug === slug);
    // The store's refusal names the nearest match.
    if (isThere && !isSure)
      await confirmDeletion(context, `channel ${workspace}/${slug} with its subscriptions and events`, slug);
    const deleted = unwrap(await store.deleteChannel({ workspace, slug }));
    context.print({ channel: deleted }, () => `Deleted the channel ${workspace}/${slug}.`);
  });
}

const CHANNEL: Noun<Channel> = {
  name: 'channel',
  plural: 'channels',
  columns: {
    SLUG: ({ slug }) => slug,
    NAME: ({ name }) => name,
    STATUS: ({ status }) => status,
    DEVICES: ({ device_count }) => device_count,
  },
  empty: 'No channels yet. Create one: pushctl channel create <workspace> <slug>',
};

const SUBSCRIBER: Noun<OwnedDevice> = {
  ...DEVICE,
  columns: { MEMBER: ({ email }) => email, ...DEVICE.columns },
  empty: 'No device is subscribed yet. Subscribe one: pushctl device subscribe <id> <channel>',
};

const SHOWN_CHANNEL: Noun<ShownChannel> = { ...CHANNEL, fields: fieldsOf };

function addChannelShow(channel: Command, context: CommandContext): void {
  addShow(channel, context, SHOWN_CHANNEL, {
    usage: 'show <workspace> <slug>',
    description: 'show a channel: its devices by route, the keys bound to it, its latest event',
    examples: ['pushctl channel show acme builds'],
    ask: (workspace, slug) => (store) => store.showChannel({ workspace, slug }),
  });

  channel
    .command('subscribers <workspace> <slug>')
    .description('list the devices subscribed to a channel, inactive ones too, and their owners')
    .examples('pushctl channel subscribers acme builds')
    .action((workspace: string, slug: string) => list(context, { workspace, slug }));
}

async function list(context: CommandContext, of: { readonly workspace: string; readonly slug: string }): Promise<void> {
  await context.withStore((store) => {
    const pages = pagesOf('devices', ALL, (limit, after) => store.listSubscribers(given({ ...of, limit, after })));
    return printPages(context, listingOf(SUBSCRIBER), pages);
  });
}

function fieldsOf(channel: ShownChannel) {
  const { slug, name, status, device_count, routes, bound_keys, insist, quiet, rings } = channel;
  const byRoute = routes.map(({ route, devices }) => `${devices.toLocaleString('en')} by ${route}`).join(', ');
  return {
    slug,
    name,
    status,
    created: when(channel.created_at),
    devices: device_count === 0 ? 'none' : `${count(device_count, 'active device')}: ${byRoute}`,
    'bound keys':
      bound_keys.map((key) => `${key.id} ${key.name}`).join(', ') || 'none; any key of the workspace may post',
    insists: insist === null ? 'no' : insistText(insist),
    'quiet hours': quiet === null ? 'none' : quietInWords(quiet),
    rings: ringsText(rings),
    'latest event': when(channel.last_event_at),
  };
}
