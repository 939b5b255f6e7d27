import type { Clock } from '../../process/clock.ts';
import { type Finding, fail, ok, warn } from '../../process/finding.ts';
import type { ReadCredentials } from '../../providers/credentials.ts';
import { explain } from '../../providers/explain.ts';
import type { Probed } from '../../providers/provider.ts';
import type { Tokens } from '../../providers/signing/tokens.ts';
import { PROVIDERS, type ProviderSettings } from '../../providers/table.ts';
import { PROVIDER_NAMES, type ProviderName, providerOf, ROUTES, type Route } from '../../push.ts';
import { isVendors, whoAt } from './vendor.ts';

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
