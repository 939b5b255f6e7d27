import { baseUrlOf } from '../../config/config.ts';
import { loadCron } from '../../contract/cron.ts';
import { inWords, pingUrl, type ScheduleChange, scheduleInWords } from '../../contract/heartbeats.ts';
import { OperatorProblem } from '../../process/problem.ts';
import type { Heartbeat, Refusal, StoreClient } from '../../store/calls.ts';
import { duration, given } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CommandContext, unwrap } from '../context.ts';
import { fields, table, when } from '../output/table.ts';

interface Terms extends ScheduleChange {
  readonly name?: string;
}

const PAUSE_VERBS = [
  ['pause', 'pauseHeartbeat', 'expect nothing of it until the next ping'],
  ['resume', 'resumeHeartbeat', 'wait for its next ping, as for that of a new one'],
] as const;
const ADD_DETAILS = `
The job requests the printed address when it has succeeded, and with /fail
behind it when it has failed; /start before it measures how long it takes. The
first ping begins it. Where one is missed, an event goes to the channel.
`;

export function addHeartbeat(program: Command, context: CommandContext): void {
  const heartbeat = program
    .command('heartbeat')
    .description('signs of life that are expected of jobs: what stays away is reported')
    .examples('pushctl heartbeat add acme ops backup --every 1d --grace 1h');

  withTerms(heartbeat.command('add <workspace> <channel> <slug>'))
    .description('expect a sign of life, and print the address that takes it')
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

  heartbeat
    .command('list <workspace>')
    .description('list the heartbeats of a workspace')
    .examples('pushctl heartbeat list acme')
    .action(async (workspace: string) => {
      const found = unwrap(await context.withStore((store) => store.listHeartbeats({ workspace })));
      const heartbeats = await addressed(context, found);
      context.print({ heartbeats }, () => list(context, found));
    });

  heartbeat
    .command('show <workspace> <slug>')
    .description('show a heartbeat: its state, its address, and what came with its last ping')
    .examples('pushctl heartbeat show acme backup')
    .action((workspace: string, slug: string) => {
      return showOne(context, (store) => store.showHeartbeat({ workspace, slug }));
    });

  withTerms(heartbeat.command('change <workspace> <slug>'))
    .description('change what is expected, or the channel of its events')
    .option('--channel <channel>', 'where its events go from now on')
    .examples('pushctl heartbeat change acme backup --every 12h --grace 30m')
    .action((workspace: string, slug: string, { channel, ...terms }: Terms & { channel?: string }) => {
      if (channel === undefined && Object.keys(terms).length === 0) {
        throw new OperatorProblem('nothing to change', 2, {
          advice: 'say what is to be expected, or --channel, --name',
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

  heartbeat
    .command('remove <workspace> <slug>')
    .description('forget a heartbeat; its address takes no pings any more')
    .examples('pushctl heartbeat remove acme backup')
    .action(async (workspace: string, slug: string) => {
      const removed = unwrap(await context.withStore((store) => store.deleteHeartbeat({ workspace, slug })));
      const [shown] = await addressed(context, [removed]);
      context.print({ heartbeat: shown }, () => `Removed the heartbeat ${workspace}/${slug}.`);
    });
}

function withTerms(command: Command): Command {
  return command
    .option('--every <duration>', 'from one ping to the next (default when added: 1d)', duration)
    .option('--cron <fields>', 'in place of --every: minute, hour, day, month and weekday')
    .option('--timezone <name>', 'that --cron goes by (default: UTC)')
    .option('--grace <duration>', 'how late it may be, and how long a run may take (default when added: 1h)', duration)
    .option('--name <name>', 'a name for people (default when added: the slug)');
}

async function showOne(
  context: CommandContext,
  ask: (store: StoreClient) => Promise<Heartbeat | Refusal>,
): Promise<void> {
  // Before the store is opened: see data-folder.ts.
  loadCron();
  const [shown] = await addressed(context, [unwrap(await context.withStore(ask))]);
  if (shown !== undefined) context.print({ heartbeat: shown }, () => formatHeartbeat(context, shown));
}

type Addressed = Omit<Heartbeat, 'uuid'> & { readonly ping_url: string | null };

async function addressed(context: CommandContext, found: readonly Heartbeat[]): Promise<readonly Addressed[]> {
  const baseUrl = baseUrlOf(await context.config());
  return found.map(({ uuid, ...heartbeat }) => ({ ...heartbeat, ping_url: uuid && pingUrl(baseUrl, uuid) }));
}

function inSeconds({ every, grace, ...terms }: Terms): Terms {
  return given({ ...terms, every: every && every / 1_000, grace: grace && grace / 1_000 });
}

function list(context: CommandContext, heartbeats: readonly Heartbeat[]): string {
  const rows = heartbeats.map((heartbeat) => [
    heartbeat.slug,
    heartbeat.channel,
    heartbeat.flaps_since === null ? heartbeat.state : `${heartbeat.state}, flaps`,
    scheduleInWords(heartbeat),
    inWords(heartbeat.grace * 1_000),
    when(heartbeat.last_ping_at),
    when(heartbeat.due_at),
  ]);
  const empty = 'No heartbeats yet. Add one: pushctl heartbeat add <workspace> <channel> <slug>';
  return table(context, ['SLUG', 'CHANNEL', 'STATE', 'EXPECTED', 'GRACE', 'LAST PING', 'DUE'], rows, empty);
}

function formatHeartbeat(context: CommandContext, heartbeat: Addressed): string {
  const shown = fields(context, {
    slug: heartbeat.slug,
    name: heartbeat.name,
    channel: heartbeat.channel,
    state: heartbeat.state,
    expected: scheduleInWords(heartbeat),
    grace: inWords(heartbeat.grace * 1_000),
    'ping address': heartbeat.ping_url,
    'last ping': when(heartbeat.last_ping_at),
    'last start': when(heartbeat.last_start_at),
    'last run': heartbeat.last_duration_ms === null ? null : inWords(heartbeat.last_duration_ms),
    due: when(heartbeat.due_at),
    'down since': when(heartbeat.down_since),
    'flaps since': when(heartbeat.flaps_since),
  });
  return heartbeat.last_output === null ? shown : `${shown}\n\n${heartbeat.last_output}`;
}
