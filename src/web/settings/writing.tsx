import { nowMs } from '../clock.ts';
import { Options } from '../components/forms/fields.tsx';
import { Section } from '../components/page.tsx';
import { byName, locale, REGION, TIME_ZONE, timeZone } from '../format/locale.ts';
import { whole } from '../format/numbers.ts';
import { times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import { settings as texts } from '../texts/account.ts';

/** Regions of the most read languages. Browsers list none. */
const REGIONS =
  'AR AT AU BE BR CA CH CL CN CO CZ DE DK ES FI FR GB GR HU IE IL IN IT JP KR MX NL NO NZ PL PT RO SE TR UA US ZA';
const EXAMPLE = 1_234_567;

const words = texts.writing;

/** Sets this browser's style of dates and numbers. */
export function Writing() {
  const now = useShared(nowMs);
  const names = new Intl.DisplayNames(locale, { type: 'region' });
  const regions = REGIONS.split(' ').map((code): Option => [`und-${code}`, names.of(code) ?? code]);
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone): Option => [zone, zone.replaceAll('_', ' ')]);
  const region = localStorage.getItem(REGION) ?? '';
  return (
    <Section title={words.title}>
      <div class="form paper">
        <Choice
          label={words.region}
          value={regions.some(([code]) => code === region) ? region : ''}
          options={[['', words.browserRegion], ...regions.sort(([, a], [, b]) => byName(a, b))]}
          choose={(code) => choose(REGION, code)}
        />
        <Choice
          label={words.timeZone}
          value={localStorage.getItem(TIME_ZONE) === null ? '' : (timeZone ?? '')}
          options={[['', words.browserZone], ...zones]}
          choose={(zone) => choose(TIME_ZONE, zone)}
        />
        <p class="hint">{words.now(times.exact(now), whole(EXAMPLE))}</p>
      </div>
    </Section>
  );
}

/** Stores a choice and reloads; `''`: the browser's. */
function choose(what: typeof REGION | typeof TIME_ZONE, value: string): void {
  if (value === '') localStorage.removeItem(what);
  else localStorage.setItem(what, value);
  location.reload();
}

type Option = readonly [value: string, text: string];

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly choose: (value: string) => void;
}

function Choice({ label, value, options, choose }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <Options of={options} />
      </select>
    </label>
  );
}
