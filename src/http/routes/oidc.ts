import { oidcReturn } from '../../contract/pairing-code.ts';
import { OidcFailure, type OidcProvider, type ProvidedIdentity, type RoundTrip } from '../../oidc/provider.ts';
import { createBoundCode, TRIP_CODE_LIFE_MS, takeTripCookie } from '../auth/cookies.ts';
import { ApiError } from '../errors.ts';
import { queryReader } from '../query.ts';
import type { Context, ResponseTo, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

/** Why a sign-in failed; the app's words are in `web/texts/account.ts`. */
type NotSignedIn =
  | 'cross_site'
  | 'other_browser'
  | 'unavailable'
  | 'denied'
  | 'refused'
  | 'throttled'
  | 'unverified'
  | 'not_member'
  | 'linked_already'
  | 'not_fresh';

type Redirect = ResponseTo<'beginOidc' | 'finishOidc'>;

/** The audit log's actor for linking members. */
const SERVER = { kind: 'operator', name: 'pushctl', address: null } as const;

export function oidcRoutes(service: Service) {
  const { roundTrips, turns, limits, clients, clock } = service;
  const { oidc } = service.config;
  const isOpen = !oidc?.only;
  const ways = { password: isOpen, passkey: isOpen, pairing_code: true, provider: oidc && { name: oidc.name } };
  const read = queryReader('beginOidc');
  return {
    listSignInWays: () => ({ status: 200, body: ways }),

    /** Answers GET /v1/session/oidc. Rejects other sites, which could sign in their user unasked. */
    async beginOidc(context) {
      const provider = providerOf(service);
      const { confirm = false } = read(context);
      const { 'sec-fetch-site': site } = context.req.headers;
      if (site === 'cross-site' || site === 'same-site') return back('cross_site');
      return orBack(service, context, async () => {
        const { address, trip } = await provider.begin(confirm);
        await roundTrips.give(context.state, trip);
        return redirect(address);
      });
    },

    /**
     * Answers GET /v1/session/oidc/callback. Made-up requests end before asking or storing anything. Our round trips
     * take turns, and failures count.
     */
    async finishOidc(context) {
      const provider = providerOf(service);
      const trip = await roundTrips.read(context.req);
      takeTripCookie(context.state);
      if (trip === null || new URLSearchParams(context.querystring).get('state') !== trip.state) {
        return back('other_browser');
      }
      return orBack(service, context, async () => {
        const networks = clients.networksOf(context.req);
        let failed: NotSignedIn = 'refused';
        const done = await turns.provider.admit({ networks }, () =>
          limits.provider(networks, clock.steadyMs(), async () => {
            const outcome = await finish(service, context, provider, trip);
            if (typeof outcome !== 'string') return outcome;
            failed = outcome;
            return null;
          }),
        );
        if (done === null) return back(failed);
        turns.provider.signedIn({ networks });
        return done;
      });
    },
  } satisfies Routes;
}

/** Sends the browser to the app with a code or a reason. Throws `OidcFailure` for anything but a guess. */
async function finish(
  service: Service,
  context: Context,
  provider: OidcProvider,
  trip: RoundTrip,
): Promise<Redirect | NotSignedIn> {
  const identity = await provider.finish(context.querystring, trip).catch((error: unknown) => {
    if (!(error instanceof OidcFailure) || error.kind !== 'refused') throw error;
    note(service, context, error);
    return null;
  });
  if (identity === null) return 'refused';
  if (trip.confirms && !identity.isProof) return 'not_fresh';
  const code = createBoundCode();
  const kind = await pair(service, identity, code.hash);
  if (kind !== 'known' && kind !== 'linked') return kind === 'unknown' ? 'unverified' : kind;
  code.bind(context.state);
  return redirect(oidcReturn(trip.confirms ? 'confirm' : 'pair', code.text));
}

/** Asks for an address if the identity is unknown. */
async function pair({ store }: Service, identity: ProvidedIdentity, codeHash: string) {
  const { issuer, subject, isProof } = identity;
  const args = { issuer, subject, codeHash, lifeMs: TRIP_CODE_LIFE_MS, isProof };
  const { kind } = await store.pairByIdentity({ ...args, email: null }, SERVER);
  if (kind !== 'unknown') return kind;
  const email = await identity.email();
  return email === null ? kind : (await store.pairByIdentity({ ...args, email }, SERVER)).kind;
}

/** Returns the browser to the app after any error, with the reason. */
async function orBack(service: Service, context: Context, act: () => Promise<Redirect>): Promise<Redirect> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof OidcFailure) {
      note(service, context, error);
      return back(error.kind);
    }
    if (error instanceof ApiError && (error.code === 'sign_in_throttled' || error.code === 'overloaded')) {
      return back('throttled');
    }
    throw error;
  }
}

/** Logs the fault with parts of the cause only: it may contain the provider's tokens. */
function note({ log }: Service, { state: { requestId } }: Context, { kind, cause }: OidcFailure): void {
  const { code, error } = (cause ?? {}) as { readonly code?: unknown; readonly error?: unknown };
  log.warn({ requestId, failure: kind, code, answered: error }, 'a sign-in through the provider failed');
}

function providerOf({ provider }: Service): OidcProvider {
  if (provider === null) throw new ApiError('route_not_found');
  return provider;
}

function back(why: NotSignedIn): Redirect {
  return redirect(oidcReturn('sign-in', why));
}

function redirect(address: string): Redirect {
  return { status: 303, headers: { Location: address, 'Referrer-Policy': 'no-referrer' } };
}
