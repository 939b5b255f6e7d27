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
  const findings = compared.filter((finding) => finding !== null);
  if (findings.length > 0) return findings;
  const isAsked = PROVIDER_NAMES.some((name) => settings[name] !== undefined);
  return [isAsked ? UNKNOWN : ok('clock', 'is not checked: no provider is configured that could report the time')];
}

async function compareWith<P extends ProviderName>(
  name: P,
  settings: ProviderSettings,
  clock: Clock,
): Promise<Finding | null> {
  const own = settings[name];
  if (own === undefined) return null;
  const { time } = await PROVIDERS[name].loadProbe();
  const { url, vendor, answer } = time(own);
  return compare(whoAt(vendor, url), await answer.catch(() => null), clock);
}

function compare(who: string, theirMs: number | null, clock: Clock): Finding | null {
  if (theirMs === null) return null;
  const offS = Math.round((clock.wallMs() - theirMs) / 1000);
  const severity = clockSeverity(offS * 1000);
  if (severity === null) return ok('clock', `agrees with ${who}`);
  const message = `is ${Math.abs(offS)} s ${offS > 0 ? 'ahead of' : 'behind'} ${who}`;
  return graded(severity, 'clock', message, SET_CLOCK);
}
