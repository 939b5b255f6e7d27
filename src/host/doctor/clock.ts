import type { Clock } from '../../process/clock.ts';
import { type Finding, graded, ok, SET_CLOCK, warn } from '../../process/finding.ts';
import { clockSeverity } from '../../process/severities.ts';
import { PROVIDERS, type ProviderSettings } from '../../providers/table.ts';
import { PROVIDER_NAMES, type ProviderName } from '../../push.ts';
import { whoAt } from './vendor.ts';

const UNKNOWN = warn(
  'clock',
  'could not be checked: no provider reported the time',
  'compare it with another clock: date -u',
);

/** Compares this clock with the providers', which reject signatures by a wrong clock. */
export async function checkClock(settings: ProviderSettings, clock: Clock): Promise<Finding[]> {
  const compared = await Promise.all(PROVIDER_NAMES.map((name) => compareWith(name, settings, clock)));
  const compares = compared.filter((comparison) => comparison !== null);
  if (compares.length > 0) return clockFindings(compares);
  const isAsked = PROVIDER_NAMES.some((name) => settings[name] !== undefined);
  return [isAsked ? UNKNOWN : ok('clock', 'is not checked: no provider is configured that could report the time')];
}

async function compareWith<P extends ProviderName>(
  name: P,
  settings: ProviderSettings,
  clock: Clock,
): Promise<Comparison | null> {
  const own = settings[name];
  if (own === undefined) return null;
  const { time } = await PROVIDERS[name].loadProbe();
  const { url, vendor, answer } = time(own);
  return compare(whoAt(vendor, url), await answer.catch(() => null), clock);
}

interface Comparison {
  readonly who: string;
  /** Negative: this clock is behind. */
  readonly offS: number;
}

function compare(who: string, theirMs: number | null, clock: Clock): Comparison | null {
  if (theirMs === null) return null;
  return { who, offS: Math.round((clock.wallMs() - theirMs) / 1000) };
}

/** Reports a clock once that is as wrong by all providers: their times are in whole seconds. */
function clockFindings(compares: readonly Comparison[]): Finding[] {
  const findings: Finding[] = [];
  let left = compares;
  while (left[0] !== undefined) {
    const { offS } = left[0];
    const alike = left.filter((other) => Math.abs(other.offS - offS) <= ALIKE_S);
    left = left.filter((other) => !alike.includes(other));
    findings.push(clockFinding(offS, alike.map(({ who }) => who).join(', ')));
  }
  return findings;
}

const ALIKE_S = 2;

function clockFinding(offS: number, who: string): Finding {
  const severity = clockSeverity(offS * 1000);
  if (severity === null) return ok('clock', `agrees with ${who}`);
  return graded(severity, 'clock', `is ${Math.abs(offS)} s ${offS > 0 ? 'ahead of' : 'behind'} ${who}`, SET_CLOCK);
}
