import { baseUrlOf } from '../../config/config.ts';
import type { ApiSchema } from '../../contract/api-types.ts';
import { loadCron } from '../../contract/cron.ts';
import { inWords, type ScheduleChange, scheduleInWords, withPingUrl } from '../../contract/heartbeats.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { type Heartbeat, isRefusal, type Refusal, type StoreClient } from '../../store/calls.ts';
import { duration, given, positiveInteger } from '../arguments.ts';
import { addList, addRemove, addShow, type Command, type Noun, thingView } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { count, when } from '../output/table.ts';

const HEARTBEAT: Noun<ApiSchema<'Heartbeat'>> = {
  name: 'heartbeat',
  plural: 'heartbeats',
  columns: {
    SLUG: ({ slug }) => slug,
    CHANNEL: ({ channel }) => channel,
    STATE: ({ state, flaps_since }) => (flaps_since === null ? state : `${state}, flaps`),
    EXPECTED: scheduleInWords,
    GRACE: ({ grace }) => inWords(grace * 1_000),
    'LAST PING': ({ last_ping_at }) => when(last_ping_at),
    DUE: ({ due_at }) => when(due_at),
  },
  fields: (heartbeat) => ({
    slug: heartbeat.slug,
    name: heartbeat.name,
    channel: heartbeat.channel,
    state: heartbeat.state,
    expected: scheduleInWords(heartbeat),
    grace: inWords(heartbeat.grace * 1_000),
    'down after': count(heartbeat.failures, 'failure', 'failures in a row'),
    'ping address': heartbeat.ping_url ?? null,
    'last ping': when(heartbeat.last_ping_at),
    'last start': when(heartbeat.last_start_at),
    'last run': heartbeat.last_duration_ms === null ? null : inWords(heartbeat.last_duration_ms),
    due: when(heartbeat.due_at),
    'down since': when(heartbeat.down_since),
    'flaps since': when(heartbeat.flaps_since),
  }),
  below: ({ last_output }) => last_output,
  empty: 'No heartbeats yet. Add one: pushctl heartbeat add <workspace> <channel> <slug>',
};

interface Terms extends ScheduleChange {
  readonly name?: string;
}

const PAUSE_VERBS = [
  ['pause', 'pauseHeartbeat', 'pause a heartbeat until it is pinged or resumed'],
  ['resume', 'resumeHeartbeat', 'resume a paused heartbeat: the next ping starts it, like a new one'],
] as const;
const ADD_DETAILS = `
The job requests the printed address after a success, and the same address with
/fail at the end after a failure. To measure the run time, it requests /start
before it runs. The heartbeat begins with the first ping. If a ping is missed,
an event goes to the channel.
`;

export function addHeartbeat(program: Command, context: CommandContext): void {
  const heartbeat = program
    .command('heartbeat')
    .description('jobs that report regularly; a missed report posts an event')
    .examples('pushctl heartbeat add acme ops backup --every 1d --grace 1h');

  withTerms(heartbeat.command('add <workspace> <channel> <slug>'))
    .description('add a heartbeat, and print its ping address')
    .details(ADD_DETAILS)
    .examples(
      'pushctl heartbeat add acme ops backup',
      'pushctl heartbeat add acme ops queue-worker --every 5m --grace 2m',
      "pushctl heartbeat add acme ops report --cron '0 3 * * *' --timezone Europe/Berlin",
    )
    .action(async (workspace: string, channel: string, slug: string, options: Terms) => {
      const args = { workspace, channel, slug, ...inSeconds(options) };
      await showOne(context, (store) => store.createHeartbeat(args));
    });

  addList(heartbeat, context, HEARTBEAT, {
    usage: 'list <workspace>',
    description: 'list the heartbeats of a workspace',
    examples: ['pushctl heartbeat list acme'],
    async ask(workspace) {
      const address = await addressing(context);
      return async (store) => {
        const found = await store.listHeartbeats({ workspace });
        return isRefusal(found) ? found : found.map(address);
      };
    },
  });

  addShow(heartbeat, context, HEARTBEAT, {
    usage: 'show <workspace> <slug>',
    description: 'show a heartbeat: its state, its address, and the text of its last ping',
    examples: ['pushctl heartbeat show acme backup'],
    ask: (workspace, slug) => addressed(context, (store) => store.showHeartbeat({ workspace, slug })),
  });

  withTerms(heartbeat.command('change <workspace> <slug>'))
    .description('change the schedule of a heartbeat, or the channel of its events')
    .option('--channel <channel>', 'channel of its future events')
    .examples('pushctl heartbeat change acme backup --every 12h --grace 30m')
    .action((workspace: string, slug: string, { channel, ...terms }: Terms & { channel?: string }) => {
      if (channel === undefined && Object.keys(terms).length === 0) {
        throw new OperatorProblem('nothing to change', 2, {
          advice: 'pass a schedule option, --channel or --name',
        });
      }
      const args = { workspace, slug, ...inSeconds(terms), ...given({ channel }) };
      return showOne(context, (store) => store.updateHeartbeat(args));
    });

  for (const [verb, call, description] of PAUSE_VERBS) {
    heartbeat
      .command(`${verb} <workspace> <slug>`)
      .description(description)
      .examples(`pushctl heartbeat ${verb} acme backup`)
      .action((workspace: string, slug: string) => showOne(context, (store) => store[call]({ workspace, slug })));
  }

  addRemove(heartbeat, context, HEARTBEAT, {
    usage: 'remove <workspace> <slug>',
    description: 'delete a heartbeat; its address rejects pings from now on',
    examples: ['pushctl heartbeat remove acme backup'],
    ask: (workspace, slug) => addressed(context, (store) => store.deleteHeartbeat({ workspace, slug })),
    confirmation: (_, workspace, slug) => `Removed the heartbeat ${workspace}/${slug}.`,
  });
}

function withTerms(command: Command): Command {
  return command
    .option('--every <duration>', 'time between two pings (default when added: 1d)', duration)
    .option('--cron <fields>', 'schedule instead of --every: minute, hour, day, month and weekday')
    .option('--timezone <name>', 'timezone of --cron (default: UTC)')
    .option(
      '--grace <duration>',
      'how late a ping may be, and how long a run may take (default when added: 1h)',
      duration,
    )
    .option('--failures <number>', 'how many failures in a row take it down (default when added: 1)', positiveInteger)
    .option('--name <name>', 'a name for people (default when added: the slug)');
}

type Ask = (store: StoreClient) => Promise<Heartbeat | Refusal>;

async function showOne(context: CommandContext, ask: Ask): Promise<void> {
  await context.show('heartbeat', await addressed(context, ask), thingView(HEARTBEAT));
}

/** Adds the ping address. Reads the configuration before opening the store. */
async function addressed(context: CommandContext, ask: Ask) {
  loadCron();
  const address = await addressing(context);
  return async (store: StoreClient) => {
    const heartbeat = await ask(store);
    return isRefusal(heartbeat) ? heartbeat : address(heartbeat);
  };
}

async function addressing(context: CommandContext) {
  const baseUrl = baseUrlOf(await context.config());
  return (heartbeat: Heartbeat): ApiSchema<'Heartbeat'> => withPingUrl(heartbeat, baseUrl);
}

function inSeconds({ every, grace, ...terms }: Terms): Terms {
  return given({ ...terms, every: every && every / 1_000, grace: grace && grace / 1_000 });
}
