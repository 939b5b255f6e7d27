import { InvalidArgumentError, Option } from 'commander';
import { DAYS, type Day, type QuietHours, quietInWords } from '../../../contract/quiet-hours.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';

const DETAILS = `
A standard event that comes then is sent as ever, and shown without a sound. One
that is time-sensitive rings all the same. The hours go by the clock on the wall
of --timezone; where --to is not after --from, they end on the next day. With
--days they begin on those days alone.
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
    .description('have standard events of a channel make no sound at some hours')
    .option('--from <time>', 'when the quiet hours begin, such as 22:00')
    .option('--to <time>', 'when they end, such as 07:00')
    .option('--timezone <name>', 'whose clock they go by, such as Europe/Berlin')
    .option('--days <days>', `on which they begin, such as ${DAYS.slice(0, 3).join()} (default: every day)`, days)
    .addOption(new Option('--off', 'no quiet hours'))
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
      advice: 'give all three, or --off for no quiet hours',
    });
  }
  return { from, to, timezone, ...(days && { days }) };
}

function quietText(hours: QuietHours | null): string {
  return hours === null ? 'no quiet hours' : `quiet hours from ${quietInWords(hours)}`;
}
