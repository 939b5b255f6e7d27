import { randomBytes } from 'node:crypto';
import { canonicalEmail } from '../../contract/names.ts';
import { pairingCodeHash } from '../../contract/pairing-code.ts';
import { createSessionToken } from '../../contract/session-token.ts';
import type { NewSession, SignedIn } from '../../store/people-calls.ts';
import { giveCookie } from '../auth/session-cookie.ts';
import { bodyReader } from '../body/body-fields.ts';
import { ApiError } from '../errors.ts';
import type { Context, Handler, Routes } from '../request-state.ts';
import type { OpenStore, Service } from '../service.ts';
import { whoIs } from './session.ts';

type CodeOr<Password> = { readonly pairingCode: string } | ({ readonly pairingCode?: undefined } & Password);
type SessionRequest = { readonly cookie?: boolean } & CodeOr<{ readonly email: string; readonly password: string }>;
type Confirmation = CodeOr<{ readonly password: string }>;

export function signInRoutes(service: Service) {
  return {
    signIn: postSession(service),
    confirmIdentity: postConfirmation(service),
  } satisfies Routes;
}

/** POST /v1/session. Another site must not sign a browser in as its own user either. */
function postSession(service: Service): Handler {
  const { store, requireSameOrigin } = service;
  const read = service.unauthenticatedBodies.reader(bodyReader<SessionRequest>('session-request'));
  return async (context) => {
    const given = await read(context);
    const { cookie = false } = given;
    if (cookie) requireSameOrigin(context.req);
    const { fresh, token } = newSession(context, cookie);
    const signedIn: SignedIn =
      given.pairingCode === undefined
        ? await guessPassword(service, context, store, given, (user) => store.openSession({ ...fresh, ...user }))
        : await guessCode(service, context, given.pairingCode, (codeHash) =>
            store.redeemPairingCode({ ...fresh, codeHash }),
          );
    const { expires_at } = signedIn;
    if (cookie) giveCookie(context.state, token);
    const session = cookie ? { expires_at } : { token, expires_at };
    return { status: 201, body: { session, ...whoIs(signedIn) } };
  };
}

/** POST /v1/session/confirmation. Guesses are limited together with those at signing in. */
function postConfirmation(service: Service): Handler {
  const read = bodyReader<Confirmation>('confirmation-request');
  return async (context) => {
    const { store, user, tokenHash } = await service.authenticate(context);
    const given = await read(context);
    const session = { tokenHash, userId: user.id };
    if (given.pairingCode === undefined) {
      const guess = { email: user.email, password: given.password };
      await guessPassword(service, context, store, guess, ({ password }) =>
        store.confirmSession({ ...session, password }),
      );
    } else {
      await guessCode(service, context, given.pairingCode, (codeHash) =>
        store.confirmSession({ ...session, codeHash }),
      );
    }
    return { status: 204 };
  };
}

/**
 * What `act` answers, which gets the stored password where the given one is right. Throws `wrong_password` where it is
 * not, or where `act` answers null, and `sign_in_throttled`.
 */
async function guessPassword<T>(
  { limits, passwords, clients, clock }: Service,
  context: Context,
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
  const guesser = { network: clients.networkOf(context.req), email };
  const done = await passwords.admit(() => limits.password(guesser, clock.steadyMs(), guess));
  if (done === null) throw new ApiError('wrong_password');
  return done;
}

/** The same for a pairing code, with `wrong_pairing_code` and `pairing_throttled`. */
async function guessCode<T>(
  { limits, clients, clock }: Service,
  context: Context,
  code: string,
  act: (codeHash: string) => Promise<T | null>,
): Promise<T> {
  const codeHash = pairingCodeHash(code);
  const done = await limits.pairingCode(clients.networkOf(context.req), clock.steadyMs(), async () =>
    codeHash === null ? null : act(codeHash),
  );
  if (done === null) throw new ApiError('wrong_pairing_code');
  return done;
}

function newSession(context: Context, inBrowser: boolean): { fresh: NewSession; token: string } {
  const { tokenHash, text: token } = createSessionToken(randomBytes);
  const userAgent = context.req.headers['user-agent'];
  return { fresh: { tokenHash, inBrowser, ...(userAgent !== undefined && { userAgent }) }, token };
}
