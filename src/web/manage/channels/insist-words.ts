import { locale } from '../../format/locale.ts';
import { texts } from '../../texts/workspace-channels.ts';

/** Of a channel, in seconds. */
interface Insist {
  readonly repeat: number;
  readonly until: number;
  readonly escalate?: { readonly after: number; readonly channel: string };
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** How a channel insists, in sentences. `nameOf`: of the channel that alerts reach as well. */
export function insistWords({ repeat, until, escalate }: Insist, nameOf: (slug: string) => string): string {
  const reminds = texts.reminds(duration(repeat), duration(until));
  return escalate === undefined
    ? reminds
    : `${reminds} ${texts.escalates(duration(escalate.after), nameOf(escalate.channel))}`;
}

/** `2 hours`, `90 seconds`: in the largest unit that it is whole in. */
function duration(seconds: number): string {
  if (seconds % HOUR_S === 0) return counted(seconds / HOUR_S, 'hour');
  return seconds % MINUTE_S === 0 ? counted(seconds / MINUTE_S, 'minute') : counted(seconds, 'second');
}

function counted(count: number, unit: 'hour' | 'minute' | 'second'): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
