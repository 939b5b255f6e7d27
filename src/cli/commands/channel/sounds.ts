import { InvalidArgumentError, Option } from 'commander';
import { PROPOSED_RINGS, type QuietHours, quietInWords, type Rings, ringsInWords } from '../../../contract/sounds.ts';
import { DAYS, type Day } from '../../../contract/timezones.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import { durationOption, positiveInteger } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';

const QUIET_DETAILS = `
During quiet hours, standard events are sent as usual and shown without a sound.
Time-sensitive events still ring. The hours follow local time in --timezone. If
--to is not after --from, they end on the next day. With --days, they begin only
on those days.
`;

interface QuietOptions {
  readonly from?: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly days?: readonly Day[];
  readonly off?: true;
}

export function addChannelQuiet(channel: Command, context: CommandContext): void {
  channel
    .command('quiet <workspace> <slug>')
    .description('silence standard events of a channel at some hours')
    .option('--from <time>', 'start of the quiet hours, such as 22:00')
    .option('--to <time>', 'end of the quiet hours, such as 07:00')
    .option('--timezone <name>', 'timezone of the quiet hours, such as Europe/Berlin')
    .option(
      '--days <days>',
      `days on which the quiet hours begin, such as ${DAYS.slice(0, 3).join()} (default: every day)`,
      days,
    )
    .addOption(new Option('--off', 'remove the quiet hours'))
    .details(QUIET_DETAILS)
    .examples(
      'pushctl channel quiet acme builds --from 22:00 --to 07:00 --timezone Europe/Berlin',
      'pushctl channel quiet acme builds --from 00:00 --to 00:00 --timezone UTC --days sat,sun',
      'pushctl channel quiet acme builds --off',
    )
    .action(async (workspace: string, slug: string, options: QuietOptions) => {
      const quiet = options.off ? null : hoursOf(options);
      const changed = unwrap(await context.withStore((store) => store.updateChannel({ workspace, slug, quiet })));
      context.print({ channel: changed }, () => `${workspace}/${slug} has ${quietText(changed.quiet)}.`);
    });
}

function days(text: string): readonly Day[] {
  const names = text.toLowerCase().split(',');
  const named = DAYS.filter((day) => names.includes(day));
  if (named.length === 0 || !names.every((name) => named.some((day) => day === name))) {
    throw new InvalidArgumentError(`Name days by ${DAYS.join()}.`);
  }
  return named;
}

function hoursOf({ from, to, timezone, days }: QuietOptions): QuietHours {
  if (from === undefined || to === undefined || timezone === undefined) {
    throw new OperatorProblem('--from, --to and --timezone go together', 2, {
      advice: 'pass all three, or --off to remove the quiet hours',
    });
  }
  return { from, to, timezone, ...(days && { days }) };
}

function quietText(hours: QuietHours | null): string {
  return hours === null ? 'no quiet hours' : `quiet hours from ${quietInWords(hours)}`;
}

const RINGS_DETAILS = `
Once the channel has rung --at-most times in --per, further standard events and
the first pushes of further alerts are shown without a sound. Reminders of these
alerts ring, and so do time-sensitive events without an alert. If several
servers share a database, each counts its own events.
`;

interface RingsOptions {
  readonly atMost: number;
  readonly per: number;
  readonly off?: true;
}

export function addChannelRings(channel: Command, context: CommandContext): void {
  channel
    .command('rings <workspace> <slug>')
    .description('limit how often a channel rings')
    .option('--at-most <number>', 'how often, from 1 to 1000', positiveInteger, PROPOSED_RINGS.at_most)
    .addOption(
      durationOption('--per <duration>', 'period in which --at-most counts, from 10s to 1h', `${PROPOSED_RINGS.per}s`),
    )
    .addOption(new Option('--off', 'remove the limit'))
    .details(RINGS_DETAILS)
    .examples(
      'pushctl channel rings acme builds',
      'pushctl channel rings acme builds --at-most 3 --per 5m',
      'pushctl channel rings acme builds --off',
    )
    .action(async (workspace: string, slug: string, { atMost, per, off }: RingsOptions) => {
      const rings = off ? null : { at_most: atMost, per: per / 1_000 };
      const changed = unwrap(await context.withStore((store) => store.updateChannel({ workspace, slug, rings })));
      context.print({ channel: changed }, () => `${workspace}/${slug} rings ${ringsText(changed.rings)}.`);
    });
}

export function ringsText(rings: Rings | null): string {
  return rings === null ? 'without limit' : ringsInWords(rings);
}
