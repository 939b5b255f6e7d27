import type { ApiSchema } from '../../contract/api-types.ts';
import { fieldProblem } from '../../contract/details.ts';
import { personIdOf } from '../../contract/public-id.ts';
import type { Identity } from '../../store/calls/sessions.ts';
import { clearCookie } from '../auth/cookies.ts';
import { bodyReader } from '../body/read-json.ts';
import { ApiError, fieldError, unwrap } from '../errors.ts';
import type { Context, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

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

export function whoIs({ user, memberships, waiting }: Identity): Omit<ApiSchema<'Session'>, 'session'> {
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
