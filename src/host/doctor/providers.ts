import type { Clock } from '../../clock.ts';
import type { Credentials } from '../../providers/credentials.ts';
import { explain } from '../../providers/outcomes.ts';
import { askApns, askFcm } from '../../providers/probe.ts';
import type { ProviderProblem, ProviderSettings } from '../../providers/provider.ts';
import { type Outcome, providerOf, ROUTES, type Route } from '../../push.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { isOf, whoAt } from './vendor.ts';

/** Whether the files hold what a provider needs; nobody is asked. */
export function checkCredentials({ settings, problems }: Credentials): Finding[] {
  return [
    ...unusable(problems),
    ...(settings.apns ? [ok('apns', 'the key file holds a key of the kind that Apple makes')] : []),
    ...(settings.fcm ? [ok('fcm', 'the service account is complete')] : []),
  ];
}

/** Shows by a real handshake on each route whether the provider would take a push. None is sent. */
export async function checkProviders({ settings, problems }: Credentials, clock: Clock): Promise<Finding[]> {
  const routes = ROUTES.filter((route) => settings[providerOf(route)] !== undefined);
  if (routes.length === 0 && problems.length === 0) {
    return [
      warn(
        'providers',
        'none is configured, so no device is targeted',
        'add [apns] or [fcm], for example with `pushctl init`',
      ),
    ];
  }
  const handshakes = await Promise.all(
    routes.map(async (route) => judged(route, endpointOf(route, settings), await ask(route, settings, clock))),
  );
  return [...unusable(problems), ...handshakes];
}

function unusable(problems: readonly ProviderProblem[]): Finding[] {
  return problems.map(({ provider, message }) => fail(provider, message, 'mend that, then run this again'));
}

async function ask(route: Route, { apns, fcm }: ProviderSettings, clock: Clock): Promise<Outcome | null> {
  if (route === 'fcm') return fcm ? askFcm(fcm, clock) : null;
  return apns ? askApns(route, apns, clock) : null;
}

/** Where pushes of the route go. */
function endpointOf(route: Route, { apns, fcm }: ProviderSettings): string {
  if (route === 'fcm') return fcm?.endpoint ?? '';
  return (route === 'apns_production' ? apns?.endpointProduction : apns?.endpointSandbox) ?? '';
}

function judged(route: Route, endpoint: string, outcome: Outcome | null): Finding {
  if (outcome === null) return ok(route, 'is not configured');
  if (outcome.kind === 'accepted') {
    if (route === 'fcm') return taking(route, endpoint, 'would send for this service account');
    const advice =
      'it is no APNs but something that takes any token, such as `pushctl sandbox --accept-unknown-tokens`';
    return warn(route, 'a push to a token that no device has was taken', advice);
  }
  if (outcome.reason === 'BadDeviceToken') return taking(route, endpoint, 'takes pushes with this key');
  const entry = explain(outcome.reason).find(({ provider }) => provider === null || provider === providerOf(route));
  const advice = entry?.remedy ?? `pushctl explain ${outcome.reason}`;
  return fail(route, `${outcome.reason}: ${entry?.means ?? 'an answer that is not documented.'}`, advice);
}

/** Something else than the vendor may be meant, as in a trial, but brings no push to a device. */
function taking(route: Route, endpoint: string, does: string): Finding {
  const [vendor, setting] = ENDPOINTS[route];
  const message = `${whoAt(vendor, endpoint)} ${does}`;
  if (isOf(vendor, endpoint)) return ok(route, message);
  return warn(route, message, `for real devices leave ${setting} out of the configuration`);
}

const ENDPOINTS = {
  apns_production: ['Apple', 'apns.endpoint_production'],
  apns_sandbox: ['Apple', 'apns.endpoint_sandbox'],
  fcm: ['Google', 'fcm.endpoint'],
} as const;
