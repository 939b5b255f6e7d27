import { randomBytes } from 'node:crypto';
import { canonicalEmail } from '../../contract/names.ts';
import { pairingCodeHash } from '../../contract/pairing-code.ts';
import { createSessionToken } from '../../contract/session-token.ts';
import type { Identity, NewSession, SignedIn } from '../../store/people-calls.ts';
import { clearCookie, giveCookie } from '../auth/session-cookie.ts';
import { bodyReader } from '../body/session-body.ts';
import { ApiError, type FieldsError, fieldError } from '../errors.ts';
import type { Context, Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

type SessionRequest = { readonly cookie?: boolean } & (
  | { readonly pairingCode: string }
  | { readonly pairingCode?: undefined; readonly email: string; readonly password: string }
);

/** `token`: shown once. */
type Opened = SignedIn & { readonly token: string };

interface PasswordChange {
  readonly current?: string;
  readonly new: string;
}

export function sessionRoutes(service: Service) {
  return {
    signIn: postSession(service),
    whoAmI: getSession(service),
    signOut: deleteSession(service),
    changePassword: putPassword(service),
    listSessions: getSessions(service),
    endSession: deleteOwnSession(service),
  } satisfies Routes;
}

/** POST /v1/session. Another site must not sign a browser in as its own user either. */
function postSession(service: Service): Handler {
  const read = service.unauthenticatedBodies.reader(bodyReader<SessionRequest>('session-request'));
  return async (context) => {
    const given = await read(context);
    if (given.cookie) service.requireSameOrigin(context.req);
    const { token, ...signedIn } =
      given.pairingCode === undefined
        ? await signInByPassword(service, context, canonicalEmail(given.email), given.password)
        : await signInByCode(service, context, given.pairingCode);
    const { expires_at } = signedIn;
    if (given.cookie) giveCookie(context.state, token);
    const session = given.cookie ? { expires_at } : { token, expires_at };
    return { status: 201, body: { session, ...whoIs(signedIn) } };
  };
}

/** GET /v1/session */
function getSession({ authenticate }: Service): Handler {
  return async (context) => {
    const person = await authenticate(context);
    return { status: 200, body: { session: { expires_at: person.expires_at }, ...whoIs(person) } };
  };
}

/** DELETE /v1/session */
function deleteSession({ authenticate }: Service): Handler {
  return async (context) => {
    const { store, tokenHash } = await authenticate(context, 'uncounted');
    await store.closeSession({ tokenHash });
    if (context.state.byCookie) clearCookie(context.state);
    return { status: 204 };
  };
}

/** PUT /v1/session/password. Wrong guesses at the current password are limited as at signing in. */
function putPassword(service: Service): Handler {
  const { authenticate, passwords } = service;
  const read = bodyReader<PasswordChange>('password-change');
  return async (context) => {
    const { store, user, tokenHash } = await authenticate(context);
    const given = await read(context);
    const { password: current } = (await store.findUser({ email: user.email })) ?? { password: null };
    const password = await passwords.admit(async () => {
      if (current !== null) await requireCurrent(service, context, user.email, given.current, current);
      return passwords.hash(given.new);
    });
    const args = { userId: user.id, tokenHash, current, password };
    unwrap(await store.changePassword(args), 'not_signed_in');
    return { status: 204 };
  };
}

/** GET /v1/sessions */
function getSessions({ authenticate }: Service): Handler {
  return async (context) => {
    const { store, user, tokenHash } = await authenticate(context);
    const sessions = await store.listOwnSessions({ userId: user.id, tokenHash });
    return { status: 200, body: { sessions, next: null } };
  };
}

/** DELETE /v1/sessions/{session} */
function deleteOwnSession({ authenticate }: Service): Handler {
  return async (context) => {
    const { store, user } = await authenticate(context);
    unwrap(await store.closeSessions({ email: user.email, id: context.params.session }), 'session_not_found');
    return { status: 204 };
  };
}

async function requireCurrent(
  { limits, passwords, clients, clock }: Service,
  context: Context,
  email: string,
  given: string | undefined,
  current: string,
): Promise<void> {
  if (given === undefined) throw wrongCurrent('The current field is required.');
  const guesser = { network: clients.networkOf(context.req), email };
  const isRight = await limits.password(guesser, clock.steadyMs(), async () => {
    return (await passwords.verify(given, current)) || null;
  });
  if (isRight === null) throw wrongCurrent('The current field is not your password.');
}

async function signInByPassword(
  { store, limits, passwords, clients, clock }: Service,
  context: Context,
  email: string,
  password: string,
): Promise<Opened> {
  const { fresh, token } = newSession(context);
  const guesser = { network: clients.networkOf(context.req), email };
  const guess = async () => {
    const found = await store.findUser({ email });
    const isRight = await passwords.verify(password, found?.password ?? null);
    if (!isRight || found === null || found.password === null) return null;
    return store.openSession({ ...fresh, userId: found.userId, password: found.password });
  };
  const signedIn = await passwords.admit(() => limits.password(guesser, clock.steadyMs(), guess));
  if (signedIn === null) throw new ApiError('wrong_password');
  return { ...signedIn, token };
}

async function signInByCode(
  { store, limits, clients, clock }: Service,
  context: Context,
  code: string,
): Promise<Opened> {
  const { fresh, token } = newSession(context);
  const codeHash = pairingCodeHash(code);
  const signedIn = await limits.pairingCode(clients.networkOf(context.req), clock.steadyMs(), async () =>
    codeHash === null ? null : store.redeemPairingCode({ ...fresh, codeHash }),
  );
  if (signedIn === null) throw new ApiError('wrong_pairing_code');
  return { ...signedIn, token };
}

function newSession(context: Context): { fresh: NewSession; token: string } {
  const { tokenHash, text: token } = createSessionToken(randomBytes);
  const userAgent = context.req.headers['user-agent'];
  return { fresh: { tokenHash, ...(userAgent !== undefined && { userAgent }) }, token };
}

function whoIs({ user, memberships }: Identity): object {
  return {
    user: { email: user.email, name: user.name },
    workspaces: memberships.map(({ slug, name, status, role }) => ({ slug, name, status, role })),
  };
}

function wrongCurrent(message: string): FieldsError {
  return fieldError('current', message);
}
