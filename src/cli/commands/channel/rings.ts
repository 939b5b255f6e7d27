import { Option } from 'commander';
import { PROPOSED_RINGS, type Rings, ringsInWords } from '../../../contract/rings.ts';
import { durationOption, positiveInteger } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';

const DETAILS = `
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
    .details(DETAILS)
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
