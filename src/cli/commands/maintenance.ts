import { loadCron } from '../../contract/cron.ts';
import { inWords } from '../../contract/heartbeats.ts';
import type { Maintenance } from '../../contract/maintenance.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { duration, given, laterTime } from '../arguments.ts';
import { addList, addRemove, type Command, type Noun, thingView } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { when } from '../output/table.ts';

const ID = 'mnt_7m3q0f9t2xkd4w6z';

const MAINTENANCE: Noun<Maintenance> = {
  name: 'maintenance',
  plural: 'windows',
  columns: {
    ID: ({ id }) => id,
    CHANNEL: ({ channel }) => channel,
    STATE: ({ state }) => state,
    FROM: ({ from }) => when(from),
    UNTIL: ({ until }) => when(until),
    ONLY: ({ only }) => only,
    RECURS: recursInWords,
    BY: ({ by }) => by,
    NOTE: ({ note }) => note,
  },
  fields: (window) => ({
    id: window.id,
    channel: window.channel,
    state: window.state,
    from: when(window.from),
    until: when(window.until),
    only: window.only,
    recurs: recursInWords(window),
    by: window.by,
    note: window.note,
    created: when(window.created_at),
  }),
  empty: 'No maintenance is planned. Start one: pushctl maintenance add <workspace> <channel> --for 2h',
};

const ADD_DETAILS = `
During maintenance, events of the channel are sent without a sound. Alerts open
silently, and their reminders and escalation wait. At the end, one loud push
says which alerts are still open. Without --from, maintenance starts now. With
--cron, it recurs: each time for --for, at most 24h.
`;

const CHANGE_DETAILS = `
Options that you leave out stay as they are. Once the window is on, its start
and --only are fixed, and --until is the end of this occurrence. An empty text
removes --only or --note.
`;

interface WindowOptions {
  readonly for?: number;
  readonly from?: string;
  readonly until?: string;
  readonly only?: string;
  readonly note?: string;
  readonly cron?: string;
  readonly timezone?: string;
}

export function addMaintenance(program: Command, context: CommandContext): void {
  const maintenance = program
    .command('maintenance')
    .description('times in which a channel makes no sound')
    .examples('pushctl maintenance add acme ops --for 2h --note "Database upgrade"');

  maintenance
    .command('add <workspace> <channel>')
    .description('start or plan maintenance')
    .option('--for <duration>', 'how long it lasts, at most 7d', duration)
    .option('--until <time>', 'end: a time, or a duration from now', laterTime)
    .option('--from <time>', 'start: a time, or a duration from now, at most 30d ahead', laterTime)
    .option('--only <key>', 'only for events with this collapse_key, or with its beginning if * follows')
    .option('--note <text>', 'a note for people')
    .option('--cron <fields>', 'start repeatedly: minute, hour, day, month and weekday')
    .option('--timezone <name>', 'timezone of --cron (default: UTC)')
    .details(ADD_DETAILS)
    .examples(
      'pushctl maintenance add acme ops --for 2h --note "Database upgrade"',
      "pushctl maintenance add acme ops --only 'db-*' --from 2026-11-21T22:00:00Z --for 4h",
      "pushctl maintenance add acme ops --cron '0 3 * * 0' --for 1h --timezone Europe/Berlin",
    )
    .action((workspace: string, slug: string, options: WindowOptions) => {
      if (options.for === undefined && options.until === undefined) {
        throw new OperatorProblem('pass how long it lasts', 2, { advice: 'use --for 2h, or --until with a time' });
      }
      const args = { workspace, slug, ...inMs(options) };
      // Imported before the store is opened.
      if (options.cron !== undefined) loadCron();
      return context.show('maintenance', (store) => store.createMaintenance(args), thingView(MAINTENANCE));
    });

  addList(maintenance, context, MAINTENANCE, {
    usage: 'list <workspace> [channel]',
    description: 'list the maintenance windows of a workspace or a channel',
    examples: ['pushctl maintenance list acme', 'pushctl maintenance list acme ops'],
    ask: (workspace, slug) => (store) => store.listMaintenance(given({ workspace, slug })),
  });

  maintenance
    .command('change <workspace> <id>')
    .description('change maintenance that is on or planned')
    .option('--for <duration>', 'how long it lasts, from its start', duration)
    .option('--until <time>', 'end: a time, or a duration from now', laterTime)
    .option('--from <time>', 'start: a time, or a duration from now', laterTime)
    .option('--only <key>', 'only for events with this collapse_key, or with its beginning if * follows')
    .option('--note <text>', 'a note for people')
    .option('--cron <fields>', 'start repeatedly: minute, hour, day, month and weekday')
    .option('--timezone <name>', 'timezone of --cron')
    .details(CHANGE_DETAILS)
    .examples(
      `pushctl maintenance change acme ${ID} --until 30m`,
      `pushctl maintenance change acme ${ID} --note "Takes longer"`,
    )
    .action((workspace: string, id: string, { only, note, ...times }: WindowOptions) => {
      const changes = given({ ...inMs(times), only: only === '' ? null : only, note: note === '' ? null : note });
      if (Object.keys(changes).length === 0) {
        throw new OperatorProblem('nothing to change', 2, { advice: 'pass --until, --for, --note or another option' });
      }
      if (times.cron !== undefined || times.timezone !== undefined) loadCron();
      return context.show(
        'maintenance',
        (store) => store.updateMaintenance({ workspace, id, ...changes }),
        thingView(MAINTENANCE),
      );
    });

  addRemove(maintenance, context, MAINTENANCE, {
    usage: 'end <workspace> <id>',
    description: 'end maintenance, or cancel a planned window',
    examples: [`pushctl maintenance end acme ${ID}`],
    ask: (workspace, id) => (store) => store.endMaintenance({ workspace, id }),
    confirmation: ({ state, channel }, _, id) =>
      state === 'planned' ? `Cancelled ${id}.` : `Ended ${id}. Subscribers of ${channel} learn what is still open.`,
  });
}

function inMs({ from, until, for: forMs, ...others }: WindowOptions) {
  return given({
    ...others,
    fromMs: from === undefined ? undefined : Date.parse(from),
    untilMs: until === undefined ? undefined : Date.parse(until),
    for: forMs && Math.round(forMs / 1_000),
  });
}

function recursInWords({ cron, timezone, for: lengthS }: Maintenance): string | null {
  return cron === null ? null : `${cron} (${timezone}), for ${inWords((lengthS ?? 0) * 1_000)}`;
}
