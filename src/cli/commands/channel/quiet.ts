import { InvalidArgumentError, Option } from 'commander';
import { DAYS, type Day, type QuietHours, quietInWords } from '../../../contract/quiet-hours.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';

const DETAILS = `
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
    .details(DETAILS)
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
