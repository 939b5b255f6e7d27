import { useEffect, useState } from 'preact/hooks';
import { SCHEMES, scheme } from '../appearance.ts';
import { chooseLanguage, chosenLanguage, LANGUAGES, type Language as Name } from '../chosen-language.ts';
import { nowMs } from '../clock.ts';
import { Options } from '../components/forms/fields.tsx';
import { Section } from '../components/page.tsx';
import { byName, locale, REGION, TIME_ZONE, timeZone } from '../format/locale.ts';
import { whole } from '../format/numbers.ts';
import { times } from '../format/time.ts';
import { CHOICES, OPEN_HERE } from '../messages.ts';
import { useShared } from '../shared.ts';
import { hasShortcuts, switchKeys } from '../shell/keys.ts';
import { settings as texts } from '../texts/account.ts';

/** Sets what notification taps open here. The worker reads it at the tap. */
export function Notifications() {
  const [isHere, setHere] = useState<boolean | null>(null);
  useEffect(() => {
    void isOpenHere().then(setHere);
  }, []);
  // Unencrypted addresses have neither caches nor notifications.
  if (isHere === null) return null;
  const choose = (isWanted: boolean): void => {
    setHere(isWanted);
    void keep(isWanted);
  };
  return (
    <fieldset class="choices">
      <legend class="group">{texts.notifications.title}</legend>
      <label>
        <input type="checkbox" checked={isHere} onChange={({ currentTarget }) => choose(currentTarget.checked)} />
        <span>
          {texts.notifications.openHere} <span class="hint">{texts.notifications.openHereHint}</span>
        </span>
      </label>
    </fieldset>
  );
}

/** Returns whether taps open the event's page; null: no caches. */
async function isOpenHere(): Promise<boolean | null> {
  try {
    return (await caches.match(OPEN_HERE, { cacheName: CHOICES })) !== undefined;
  } catch {
    return null;
  }
}

async function keep(isHere: boolean): Promise<void> {
  const choices = await caches.open(CHOICES);
  if (isHere) await choices.put(OPEN_HERE, new Response('yes'));
  else await choices.delete(OPEN_HERE);
}

export function Appearance() {
  const current = useShared(scheme);
  return (
    <fieldset class="choices">
      <legend class="group">{texts.appearance}</legend>
      {SCHEMES.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="scheme"
            checked={current === name}
            onChange={() => {
              scheme.value = name;
            }}
          />
          {texts.schemes[name]}
        </label>
      ))}
    </fieldset>
  );
}

/** Sets this browser's language, reloading the page. */
export function Language() {
  const chosen = chosenLanguage();
  const choices = [[null, texts.languageOfBrowser] as const, ...Object.entries(LANGUAGES)];
  return (
    <fieldset class="choices">
      <legend class="group">{texts.language}</legend>
      {choices.map(([language, name]) => (
        <label key={name} lang={language ?? undefined}>
          <input
            type="radio"
            name="language"
            checked={chosen === language}
            onChange={() => {
              chooseLanguage(language as Name | null);
              location.reload();
            }}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

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

export function Keys() {
  const [isOn, setOn] = useState(hasShortcuts);
  const choose = (isWanted: boolean): void => {
    switchKeys(isWanted);
    setOn(isWanted);
  };
  return (
    <fieldset class="choices">
      <legend class="group">{texts.keys.title}</legend>
      <label>
        <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => choose(currentTarget.checked)} />
        <span>
          {texts.keys.on} <span class="hint">{texts.keys.onHint}</span>
        </span>
      </label>
    </fieldset>
  );
}
