import { InvalidArgumentError, Option } from 'commander';
import {
  type InsistPolicy,
  LEAST_REPEAT_OF_NOTIFICATIONS_S,
  PROPOSED_RINGS,
  type QuietHours,
  quietInWords,
  type Rings,
  ringsInWords,
} from '../../../contract/ringing.ts';
import { DAYS, type Day } from '../../../contract/timezones.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { Channel } from '../../../store/calls.ts';
import { duration, durationOption, positiveInteger } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';

const DETAILS = `
Each time-sensitive event opens an alert, unless its level is success. While the
alert is open, the channel's devices are reminded every --repeat, until someone
acknowledges it or --until is over. An event with the same collapse_key joins
the alert. An event of level success with that key ends it. With --escalate-to,
an alert that is open for --after also reaches the devices of another channel.
With --ring-after, an alert is shown at once and rings only if it is still open
after that time; the other times count from then. With --rota, an alert rings
for the person on call alone, and for everyone after --widen-after, or at once
if that person cannot be reached.
`;

interface InsistOptions {
  readonly repeat: number;
  readonly until: number;
  readonly ringAfter: number;
  readonly escalateTo?: string;
  readonly after?: number;
  readonly rota?: string;
  readonly widenAfter?: number;
  readonly off?: true;
}

export function addChannelInsist(channel: Command, context: CommandContext): void {
  channel
    .command('insist <workspace> <slug>')
    .description('repeat each alert of a channel until someone acknowledges it')
    .addOption(durationOption('--repeat <duration>', 'time between two reminders', '2m'))
    .addOption(durationOption('--until <duration>', 'how long reminders are sent at most', '1h'))
    .addOption(durationOption('--ring-after <duration>', 'how long an alert waits before its first ring', '0s'))
    .option('--escalate-to <channel>', 'another channel whose devices an open alert also reaches')
    .option('--after <duration>', 'how long an alert is open before it escalates', duration)
    .option('--rota <rota>', 'ring for the person on call alone')
    .addOption(durationOption('--widen-after <duration>', 'how long before an open alert rings for everyone', '5m'))
    .addOption(new Option('--off', 'stop insisting, and resolve the alerts of the channel'))
    .details(DETAILS)
    .examples(
      'pushctl channel insist acme alerts',
      'pushctl channel insist acme alerts --repeat 5m --until 2h --escalate-to leads --after 15m',
      'pushctl channel insist acme alerts --ring-after 2m',
      'pushctl channel insist acme alerts --rota payments --widen-after 5m',
      'pushctl channel insist acme alerts --off',
    )
    .action(async (workspace: string, slug: string, options: InsistOptions) => {
      const insist = options.off ? null : policyOf(options);
      const changed = unwrap(await context.withStore((store) => store.updateChannel({ workspace, slug, insist })));
      context.print(
        { channel: changed },
        () => `${workspace}/${slug} ${insistText(changed.insist)}.${proposal(changed, workspace)}`,
      );
      await noteOnNotifications(context, changed.insist);
    });
}

/** Proposes a limit of rings if there is none. */
function proposal({ slug, insist, rings }: Channel, workspace: string): string {
  if (insist === null || rings !== null) return '';
  return `\nTo ring ${ringsInWords(PROPOSED_RINGS)}: pushctl channel rings ${workspace} ${slug}`;
}

/** Warns about intervals at which Google delays pushes. */
async function noteOnNotifications(context: CommandContext, policy: InsistPolicy | null): Promise<void> {
  if (policy === null || policy.repeat >= LEAST_REPEAT_OF_NOTIFICATIONS_S) return;
  if ((await context.config()).fcm?.style !== 'notification') return;
  context.note(
    'With fcm.style = "notification" Google delivers one push in three minutes to an Android device after a burst. Consider --repeat 3m.',
  );
}

function policyOf({
  repeat,
  until,
  ringAfter,
  escalateTo: channel,
  after,
  rota,
  widenAfter = 0,
}: InsistOptions): InsistPolicy {
  if ((channel === undefined) !== (after === undefined)) {
    throw new OperatorProblem('--escalate-to and --after go together', 2, {
      advice: 'pass the channel, and how long an alert is open before it escalates',
    });
  }
  return {
    repeat: repeat / 1_000,
    until: until / 1_000,
    ring_after: ringAfter / 1_000,
    ...(channel !== undefined && after !== undefined && { escalate: { channel, after: after / 1_000 } }),
    ...(rota !== undefined && { on_call: { rota, widen_after: widenAfter / 1_000 } }),
  };
}

/** Formats seconds as you would type them. */
function seconds(count: number): string {
  if (count % 3_600 === 0) return `${count / 3_600}h`;
  return count % 60 === 0 ? `${count / 60}m` : `${count}s`;
}

/** Returns e.g. `insists every 2m for 1h, and reaches leads after 10m`. */
export function insistText(policy: InsistPolicy | null): string {
  if (policy === null) return 'does not insist';
  const { repeat, until, ring_after, escalate, on_call } = policy;
  const waits = ring_after === 0 ? '' : `, ${seconds(ring_after)} after an alert opens`;
  const further =
    escalate === undefined ? '' : `, and escalates to ${escalate.channel} after ${seconds(escalate.after)}`;
  const alone =
    on_call === undefined
      ? ''
      : `, for the person on call by ${on_call.rota} and for everyone after ${seconds(on_call.widen_after)}`;
  return `insists every ${seconds(repeat)} for ${seconds(until)}${waits}${alone}${further}`;
}

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
