import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { OidcProvider } from '../oidc/provider.ts';
import type { Clock } from '../process/clock.ts';
import type { Finding, Stopped } from '../process/finding.ts';
import type { Route } from '../push.ts';
import type { LiveRoute } from '../store/calls.ts';
import type { ServingStore } from '../store/client.ts';
import { Acceptance, type HeldLinks } from './acceptance.ts';
import { type Authorize, type AuthorizeRead, keyAuthorization, readAuthorization } from './auth/api-key.ts';
import { RoundTripCookie } from './auth/cookies.ts';
import { OwnSeal, SealedPositions } from './auth/own-seal.ts';
import { Passkeys } from './auth/passkeys.ts';
import { HASHES_AT_ONCE, PasswordHashing } from './auth/password-hashing.ts';
import {
  type Authenticate,
  type AuthorizeManager,
  managerAuthorization,
  originsOver,
  type RequireSameOrigin,
  sameOriginCheck,
  sessionAuthentication,
} from './auth/session.ts';
import { ClientAddresses, type UntrustedProxy } from './client-address.ts';
import { BodyBudget } from './limits/body-budget.ts';
import { ProvenClients } from './limits/proven-clients.ts';
import { NetworkTurns, SignInLimits } from './limits/sign-in-limits.ts';
import {
  type AddressThrottle,
  addressThrottle,
  changeThrottle,
  type KeyThrottle,
  keyThrottle,
  type PersonThrottle,
  type PingThrottle,
  personThrottle,
  pingThrottle,
} from './limits/throttles.ts';
import { Receipts } from './receipts.ts';
import type { ResponseSummary } from './responder.ts';
import { Streams, type StreamsOptions } from './streams/streams.ts';
import type { WebFiles } from './web/files.ts';

export interface AppDeps {
  readonly store: ServingStore;
  readonly config: Pick<
    Config,
    | 'baseUrl'
    | 'listen'
    | 'tls'
    | 'proxy'
    | 'limits'
    | 'retention'
    | 'apns'
    | 'web'
    | 'webpush'
    | 'webhooks'
    | 'oidc'
    | 'senders'
    | 'log'
  > & {
    readonly delivery: Pick<Config['delivery'], 'ttlMs'>;
  };
  readonly clock: Clock;
  readonly log: Logger;
  readonly links: HeldLinks;
  /** The provider for sign-ins; null: none. */
  readonly provider: OidcProvider | null;
  /** The web app; null: off. */
  readonly web: WebFiles | null;
  /** Requests in flight, except health; further ones are rejected as overload. */
  readonly maxInFlight?: number;
  /** Time for a stranger's body. Used by tests only. */
  readonly strangerMs?: number;
  /** Returns a reason's meaning on a route, with advice; null: unknown. */
  readonly explain: (route: Route, reason: string) => { readonly means: string; readonly remedy: string } | null;
  /** Finds a problem that stops events or deliveries; null: none. */
  readonly findings: { stopping(what: Stopped): Promise<Finding | null> };
  /** The server's routes: pushes of a paused one are expected to wait. */
  readonly liveRoutes?: () => ReadonlyMap<Route, LiveRoute>;
  /** Used by tests only. */
  readonly streams?: Pick<StreamsOptions, 'times' | 'limits'>;
  /** Notices forwarded requests of untrusted proxies. */
  readonly untrustedProxy?: Pick<UntrustedProxy, 'look'>;
  readonly onAnswered?: (summary: ResponseSummary) => void;
}

const TESTS_PER_MINUTE = 5;
/** The limit of one heartbeat. */
const PINGS_PER_MINUTE = 60;
/** Concurrent look-ups of pairing codes. */
const CODES_AT_ONCE = 4;
/** Concurrent questions to the provider. */
const PROVIDED_AT_ONCE = 16;

/** Calls without an actor: health, sign-in, pings. */
export type OpenStore = Pick<
  ServingStore,
  | 'isAlive'
  | 'findUser'
  | 'openSession'
  | 'redeemPairingCode'
  | 'pairByIdentity'
  | 'openByPasskey'
  | 'knowsHeartbeat'
  | 'pingHeartbeat'
  | 'readCalendar'
>;

export interface Service extends Omit<AppDeps, 'store' | 'streams' | 'web'> {
  readonly store: OpenStore;
  readonly acceptance: Acceptance;
  readonly authorize: Authorize;
  /** Authorizes reading, whose equal limit is counted apart from posting. */
  readonly authorizeRead: AuthorizeRead;
  readonly authenticate: Authenticate;
  /** Authorizes the path's owners and admins by session. */
  readonly manage: AuthorizeManager;
  readonly requireSameOrigin: RequireSameOrigin;
  readonly streams: Streams;
  readonly clients: ClientAddresses;
  readonly proven: ProvenClients;
  readonly bodies: BodyBudget;
  readonly passwords: PasswordHashing;
  readonly passkeys: Passkeys;
  readonly receipts: Receipts;
  readonly roundTrips: RoundTripCookie;
  readonly positions: SealedPositions;
  /** Queues for passwords, codes and the provider. */
  readonly turns: Readonly<Record<'passwords' | 'codes' | 'provider', NetworkTurns>>;
  readonly limits: SignInLimits;
  readonly throttle: {
    /** POST /v1/events. */
    readonly burst: KeyThrottle;
    readonly connection: AddressThrottle;
    /** Test pushes. */
    readonly tests: PersonThrottle;
    readonly pings: PingThrottle;
  };
}

export function createService(deps: AppDeps): Service {
  const { store, config, clock } = deps;
  const { burstPerMinute, connectionPerMinute } = config.limits;
  const clients = new ClientAddresses(config.proxy.trusted);
  const proven = new ProvenClients();
  const requireSameOrigin = sameOriginCheck(config, clients);
  const countChange = changeThrottle(config.limits, { store, clock });
  const seal = new OwnSeal(store);
  const streams = new Streams({ store, pausedRoutes: () => pausedOf(deps.liveRoutes), ...deps.streams });
  const authorize = keyAuthorization(store, clock, proven);
  const authenticate = sessionAuthentication({ store, clients, requireSameOrigin, countChange, proven, streams });
  return {
    ...deps,
    acceptance: new Acceptance(deps),
    authorize,
    authorizeRead: readAuthorization(authorize, keyThrottle('reads', burstPerMinute, { store, clock })),
    authenticate,
    manage: managerAuthorization(store, authenticate),
    requireSameOrigin,
    streams,
    clients,
    proven,
    bodies: new BodyBudget(config.limits.bodiesMemoryBytes, proven),
    passwords: new PasswordHashing(),
    receipts: new Receipts({
      store,
      clock,
      clients,
      proven,
      isOn: config.web.receipts,
      onRecorded: (events) => streams.settled(events),
    }),
    passkeys: new Passkeys({ store, seal, clock, originsOf: originsOver(config, clients) }),
    roundTrips: new RoundTripCookie(seal, clock),
    positions: new SealedPositions(seal),
    turns: {
      // One more, so that no hash waits for the store.
      passwords: new NetworkTurns(HASHES_AT_ONCE + 1, clock),
      codes: new NetworkTurns(CODES_AT_ONCE, clock),
      provider: new NetworkTurns(PROVIDED_AT_ONCE, clock),
    },
    limits: new SignInLimits(store),
    throttle: {
      burst: keyThrottle('burst', burstPerMinute, { store, clock }),
      connection: addressThrottle('connection', connectionPerMinute, clients, { store, clock }),
      tests: personThrottle('tests', TESTS_PER_MINUTE, { store, clock }),
      pings: pingThrottle(PINGS_PER_MINUTE, { store, clock }),
    },
  };
}

function pausedOf(liveRoutes: AppDeps['liveRoutes']): readonly Route[] {
  return [...(liveRoutes?.() ?? [])].flatMap(([route, { pause }]) => (pause === null ? [] : route));
}
