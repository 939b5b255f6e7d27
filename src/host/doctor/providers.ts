import type { Clock } from '../../process/clock.ts';
import { clockSeverity, type Finding, fail, graded, ok, SET_CLOCK, warn } from '../../process/finding.ts';
import type { ReadCredentials } from '../../providers/credentials.ts';
import { explain } from '../../providers/explain.ts';
import type { Probed, Vendor } from '../../providers/provider.ts';
import type { Tokens } from '../../providers/signing/tokens.ts';
import { PROVIDERS, type ProviderSettings } from '../../providers/table.ts';
import { PROVIDER_NAMES, type ProviderName, providerOf, ROUTES, type Route } from '../../push.ts';

/** Checks the providers' files without asking providers. */
export function checkCredentials({ settings, problems }: ReadCredentials): Finding[] {
  const complete = PROVIDER_NAMES.filter((name) => settings[name] !== undefined);
  return [...problems.map(unusable), ...complete.map((name) => ok(name, PROVIDERS[name].credentials.whenComplete))];
}

/**
 * Returns the problems of the credentials; none at all mean a trial. `served`: the running server's routes, whose
 * configuration may differ.
 */
export function troubledCredentials({ settings, problems }: ReadCredentials, served: readonly unknown[]): Finding[] {
  const isNone = served.length + problems.length === 0 && PROVIDER_NAMES.every((name) => settings[name] === undefined);
  return isNone ? [NONE] : problems.map(unusable);
}

const TABLES = PROVIDER_NAMES.map((name) => `[${name}]`).join(' or ');
const NONE = warn(
  'providers',
  'none is configured, so no device gets pushes',
  `add ${TABLES}, for example with \`pushctl init\``,
);

function unusable({ provider, message }: ReadCredentials['problems'][number]): Finding {
  return fail(provider, message, 'fix that, then run this again');
}

/** Checks each route by a real handshake, without a push. */
export async function checkProviders({ settings }: ReadCredentials, clock: Clock, tokens: Tokens): Promise<Finding[]> {
  const handshakes = await Promise.all(ROUTES.map((route) => probe(providerOf(route), route, settings, clock, tokens)));
  return handshakes.filter((finding) => finding !== null);
}

async function probe<P extends ProviderName>(
  name: P,
  route: Route,
  settings: ProviderSettings,
  clock: Clock,
  tokens: Tokens,
): Promise<Finding | null> {
  const own = settings[name];
  if (own === undefined) return null;
  const { endpoint, ask } = await PROVIDERS[name].loadProbe();
  const probed = await ask(route, own, clock, tokens);
  if (probed === null) return null;
  if (!('works' in probed)) return troubled(route, probed);
  const { url, setting, vendor } = endpoint(route, own);
  const message = `${whoAt(vendor, url)} ${probed.works}`;
  // This may be intended (a trial), but brings no push to devices.
  if (isVendors(vendor, url)) return ok(route, message);
  return warn(route, message, `for real devices, remove ${setting} from the configuration`);
}

function troubled(route: Route, probed: Exclude<Probed, { readonly works: string }>): Finding {
  if ('warning' in probed) return warn(route, probed.warning, probed.advice);
  const { to } = probed;
  const { reason } = probed.refused;
  const words = 'words' in probed.refused ? ` (${probed.refused.words})` : '';
  const entry = explain(reason).find(({ provider }) => provider === null || provider === providerOf(route));
  const advice = entry?.remedy ?? `pushctl explain ${reason}`;
  const whose = to === undefined ? '' : ` for ${to}`;
  return fail(route, `${reason}${whose}${words}: ${entry?.means ?? 'an answer that is not documented.'}`, advice);
}

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

/** Returns whether an endpoint is the vendor's, not a configured replacement. */
function isVendors({ domain }: Vendor, endpoint: string): boolean {
  return new URL(endpoint).hostname.endsWith(`.${domain}`);
}

/** Returns the vendor's name, or the host configured in its place. */
export function whoAt(vendor: Vendor, endpoint: string): string {
  return isVendors(vendor, endpoint) ? vendor.name : `${new URL(endpoint).host} (not ${vendor.name}'s)`;
}
