import type { Actor } from '../store/calls.ts';
import type { ClientAddresses } from './address.ts';
import { ApiError } from './errors.ts';
import type { Context } from './exchange.ts';
import type { Authenticate, Person } from './session-auth.ts';

/** An owner or admin of the workspace that the address of a request names. */
export interface Manager {
  readonly userId: number;
  readonly workspaceId: number;
  /** The workspace's slug. */
  readonly workspace: string;
  /** For the audit log. */
  readonly actor: Actor;
}

/** Finds the manager who asks. Throws 401; 404 where they do not belong to that workspace; 403 where they only do that. */
export type AuthorizeManager = (context: Context) => Promise<Manager>;

/** In whose name a change is written to the audit log. */
export type ActorOf = (context: Context, person: Person) => Actor;

export function actors(clients: ClientAddresses): ActorOf {
  return (context, { user }) => {
    return { kind: 'user', name: user.email, address: clients.addressOf(context.req) };
  };
}

export function managerAuthorization(authenticate: Authenticate, actorOf: ActorOf): AuthorizeManager {
  return async (context) => {
    const person = await authenticate(context);
    const place = person.memberships.find(({ slug }) => slug === context.params.workspace);
    if (place === undefined) throw new ApiError('workspace_not_found');
    if (place.role === 'member') throw new ApiError('role_too_low');
    const { workspaceId, slug: workspace } = place;
    return { userId: person.user.id, workspaceId, workspace, actor: actorOf(context, person) };
  };
}
