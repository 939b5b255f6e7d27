import { randomBytes } from 'node:crypto';
import type { ApiSchema } from '../../contract/api-types.ts';
import { fieldProblem } from '../../contract/details.ts';
import { canonicalEmail } from '../../contract/names.ts';
import { pairingCodeHash } from '../../contract/pairing-code.ts';
import { personIdOf } from '../../contract/public-id.ts';
import { createSessionToken } from '../../contract/secret-token.ts';
import type { Identity, NewSession, PasskeyAnswer, SignedIn } from '../../store/calls/sessions.ts';
import { toTimestamp } from '../../values/timestamp.ts';
import { boundCodeHash, clearCookie, giveCookie } from '../auth/cookies.ts';
import type { PasskeyJson } from '../auth/passkeys.ts';
import { bodyReader } from '../body/body-fields.ts';
import { ApiError, fieldError, unwrap } from '../errors.ts';
import type { Asker } from '../limits/sign-in-limits.ts';
import { queryReader } from '../query.ts';
import type { Context, Routes } from '../request-state.ts';
import type { OpenStore, Service } from '../service.ts';

export function sessionRoutes(service: Service) {
  const { authenticate, passwords, turns, clients } = service;
  const readPasswords = bodyReader('changePassword');
  return {
    async whoAmI(context) {
      const person = await authenticate(context);
      return { status: 200, body: { session: { expires_at: person.expires_at }, ...whoIs(person) } };
    },

    async signOut(context) {
      const { store, tokenHash } = await authenticate(context, 'uncounted');
      await store.closeSession({ tokenHash });
      if (context.state.byCookie) clearCookie(context.state);
      return { status: 204 };
    },

    /** Answers PUT /v1/session/password. Wrong guesses count as at signing in. */
    async changePassword(context) {
      const { store, user, tokenHash } = await authenticate(context);
      const given = await readPasswords(context);
      if (service.config.oidc?.only) throw new ApiError('provider_only');
      const { password: current } = (await store.findUser({ email: user.email })) ?? { password: null };
      const asker = { networks: clients.networksOf(context.req), isKnown: true };
      const password = await turns.passwords.admit(asker, async () => {
        if (current !== null) await requireCurrent(service, context, user.email, given.current, current);
        return passwords.hash(given.new);
      });
      const args = { userId: user.id, tokenHash, current, password };
      unwrap(await store.changePassword(args), 'not_signed_in');
      return { status: 204 };
    },
  } satisfies Routes;
}

async function requireCurrent(
  { limits, passwords, clients, clock }: Service,
  context: Context,
  email: string,
  given: string | undefined,
  current: string,
): Promise<void> {
  if (given === undefined) throw fieldError(fieldProblem('current', 'required'));
  const guesser = { networks: clients.networksOf(context.req), email };
  const isRight = await limits.password(guesser, clock.steadyMs(), async () => {
    return (await passwords.verify(given, current)) || null;
  });
  if (isRight === null) throw fieldError(fieldProblem('current', 'wrong_current'));
}

function whoIs({ user, memberships, waiting }: Identity): Omit<ApiSchema<'Session'>, 'session'> {
  return {
    user: { id: personIdOf(user.id), email: user.email, name: user.name },
    workspaces: [
      ...memberships.map(({ workspaceId: _, waitingFor, ...place }) => ({
        ...place,
        state: 'active' as const,
        waiting_for: waitingFor,
      })),
      ...waiting.map((place) => ({ ...place, state: 'waiting' as const, waiting_for: place.role })),
    ].sort((a, b) => (a.slug < b.slug ? -1 : 1)),
  };
}

type CodeOr<Password> = { readonly pairingCode?: string; readonly passkey?: PasskeyJson } & Partial<Password>;
/** The guessing client, and the state for the log. */
interface Guesser extends Asker {
  readonly state: Context['state'];
}

export function signInRoutes(service: Service) {
  const { store, requireSameOrigin } = service;
  const readSignIn = bodyReader('signIn');
  const readProof = bodyReader('confirmIdentity');
  const readVoucher = bodyReader('addVouchers');
  return {
    /** Answers POST /v1/session. Rejects other sites, which could sign in their own user. */
    async signIn(context) {
      const given = await readSignIn(context);
      const { cookie = false } = given;
      if (cookie) requireSameOrigin(context.req);
      // Otherwise people removed at the provider could sign in.
      if (given.passkey !== undefined && service.config.oidc?.only) throw new ApiError('provider_only');
      const { fresh, token } = newSession(context, cookie);
      const signedIn = await prove<SignedIn>(service, context, askerOf(service, context), store, given, {
        byCode: (codeHash) => store.redeemPairingCode({ ...fresh, codeHash }),
        byPasskey: (answer) => store.openByPasskey({ ...fresh, answer }),
        byPassword: (user) => store.openSession({ ...fresh, ...user }),
      });
      const { expires_at } = signedIn;
      if (cookie) giveCookie(context.state, token);
      const session = cookie ? { expires_at } : { token, expires_at };
      return { status: 201, body: { session, ...whoIs(signedIn) } };
    },

    /** Answers POST /v1/session/confirmation. Guesses count as at signing in. */
    async confirmIdentity(context) {
      const { store, user, tokenHash } = await service.authenticate(context);
      const given = { ...(await readProof(context)), email: user.email };
      const session = { tokenHash, userId: user.id };
      const asker = { ...askerOf(service, context), isKnown: true };
      const outcome = await prove(service, context, asker, store, given, {
        byCode: (codeHash) => store.confirmSession({ ...session, codeHash }),
        byPasskey: (answer) => store.confirmSession({ ...session, answer }),
        byPassword: ({ password }) => store.confirmSession({ ...session, password }),
      });
      if (outcome === 'too_narrow') throw new ApiError('proof_too_narrow');
      return { status: 204 };
    },

    /** Answers POST /v1/session/vouchers. The code tells who asks for what. */
    async addVouchers(context) {
      const { store, user, tokenHash } = await service.authenticate(context);
      const { pairingCode } = await readVoucher(context);
      const asker = { ...askerOf(service, context), isKnown: true };
      await guessCode(service, context, asker, pairingCode, (codeHash) =>
        store.addVouchers({ tokenHash, userId: user.id, codeHash }),
      );
      const session = await store.findSession({ tokenHash });
      if (session === null) throw new ApiError('not_signed_in');
      return { status: 200, body: { session: { expires_at: session.expires_at }, ...whoIs(session) } };
    },
  } satisfies Routes;
}

interface SignInMethods<T> {
  readonly byCode: (codeHash: string) => Promise<T | null>;
  readonly byPasskey: (answer: PasskeyAnswer) => Promise<T | null>;
  readonly byPassword: (user: { readonly userId: number; readonly password: string }) => Promise<T | null>;
}

/** Returns the result of a proof. Throws if the proof is wrong or attempts are too many. */
async function prove<T>(
  service: Service,
  context: Context,
  asker: Guesser,
  store: Pick<OpenStore, 'findUser'>,
  given: CodeOr<{ readonly email: string; readonly password: string }>,
  { byCode, byPasskey, byPassword }: SignInMethods<T>,
): Promise<T> {
  const { pairingCode, passkey, email = '', password = '' } = given;
  if (pairingCode !== undefined) return guessCode(service, context, asker, pairingCode, byCode);
  if (passkey === undefined && service.config.oidc?.only) throw new ApiError('provider_only');
  if (passkey === undefined) return guessPassword(service, asker, store, { email, password }, byPassword);
  return guess(service, asker, 'wrong_passkey', async () => {
    const answer = await service.passkeys.verified(passkey, context.req);
    return answer === null ? null : byPasskey(answer);
  });
}

/**
 * Returns the answer of `act` for a right password. Throws `wrong_password` (also for null from `act`) and
 * `sign_in_throttled`.
 */
async function guessPassword<T>(
  { limits, passwords, turns, clock }: Service,
  asker: Guesser,
  store: Pick<OpenStore, 'findUser'>,
  given: { readonly email: string; readonly password: string },
  act: (user: { readonly userId: number; readonly password: string }) => Promise<T | null>,
): Promise<T> {
  const email = canonicalEmail(given.email);
  const guess = async (): Promise<T | null> => {
    const found = await store.findUser({ email });
    const isRight = await passwords.verify(given.password, found?.password ?? null);
    if (!isRight || found === null || found.password === null) return null;
    return act({ userId: found.userId, password: found.password });
  };
  asker.state.refused = 'password';
  const guesser = { networks: asker.networks, email };
  const done = await turns.passwords.admit(asker, () => limits.password(guesser, clock.steadyMs(), guess));
  if (done === null) throw new ApiError('wrong_password');
  for (const line of Object.values(turns)) line.signedIn(asker);
  asker.state.refused = null;
  return done;
}

/** Checks a pairing code. Throws `wrong_pairing_code` and `pairing_throttled`. */
async function guessCode<T>(
  service: Service,
  { req }: Context,
  asker: Guesser,
  code: string,
  act: (codeHash: string) => Promise<T | null>,
): Promise<T> {
  const bound = boundCodeHash(code, req);
  const codeHash = bound === undefined ? pairingCodeHash(code) : bound;
  return guess(service, asker, 'wrong_pairing_code', async () => (codeHash === null ? null : act(codeHash)));
}

/** Codes and passkeys count together: both are random and cheap to check. */
async function guess<T>(
  { limits, turns, clock }: Service,
  asker: Guesser,
  wrong: 'wrong_pairing_code' | 'wrong_passkey',
  look: () => Promise<T | null>,
): Promise<T> {
  asker.state.refused = 'pairing';
  const done = await turns.codes.admit(asker, () => limits.pairingCode(asker.networks, clock.steadyMs(), look));
  if (done === null) throw new ApiError(wrong);
  for (const line of Object.values(turns)) line.signedIn(asker);
  asker.state.refused = null;
  return done;
}

function askerOf({ clients }: Service, { req, state }: Context): Guesser {
  return { networks: clients.networksOf(req), state };
}

function newSession(context: Context, isInBrowser: boolean): { fresh: NewSession; token: string } {
  const { tokenHash, text: token } = createSessionToken(randomBytes);
  const userAgent = context.req.headers['user-agent'];
  return { fresh: { tokenHash, inBrowser: isInBrowser, ...(userAgent !== undefined && { userAgent }) }, token };
}

export function passkeyRoutes({ passkeys, authenticate }: Service) {
  const checkQuery = queryReader('listPasskeys');
  const readNew = bodyReader('addPasskey');
  return {
    async challengePasskey() {
      const { challenge, endsAtMs } = await passkeys.challenge();
      return { status: 200, body: { challenge, expires_at: toTimestamp(endsAtMs) } };
    },

    async listPasskeys(context) {
      const { store, user, tokenHash } = await authenticate(context);
      checkQuery(context);
      const listed = await store.listPasskeys({ userId: user.id, tokenHash });
      return { status: 200, body: { user_handle: await passkeys.userHandle(user.id), passkeys: listed, next: null } };
    },

    async addPasskey(context) {
      const { store, user, tokenHash } = await authenticate(context);
      const { name, passkey } = await readNew(context);
      const registered = await passkeys.registered(passkey, context.req);
      if (registered === null) throw new ApiError('wrong_passkey');
      const added = await store.addPasskey({ ...registered, userId: user.id, tokenHash, name });
      return { status: 201, body: { passkey: unwrap(added, 'not_signed_in') } };
    },
  } satisfies Routes;
}
