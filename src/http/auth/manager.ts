import type { ActingStore } from '../../store/calls.ts';
import type { ServingStore } from '../../store/serving-store.ts';
import { ApiError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import { type Authenticate, requireProof } from './session.ts';

export interface Manager {
  readonly workspaceId: number;
  /** The workspace's slug. */
  readonly workspace: string;
  /** The manager's calls, which check session and role again when they act. */
  readonly store: ActingStore;
}

/**
 * Returns the asking manager. Throws 401; 404 for a user outside of the workspace; 403 for a plain member. Operations
 * that need the workspace `active` get 403 while it is suspended. A due fresh proof is checked last.
 */
export type AuthorizeManager = (context: Context, needs?: 'active') => Promise<Manager>;

export function managerAuthorization(store: ServingStore, authenticate: Authenticate): AuthorizeManager {
  return async (context, needs) => {
    const person = await authenticate(context, 'unproven');
    const { memberships, actor } = person;
    const place = memberships.find(({ slug }) => slug === context.params.workspace);
    if (place === undefined) throw new ApiError('workspace_not_found');
    if (place.role === 'member') throw new ApiError('role_too_low');
    if (needs === 'active' && place.status !== 'active') throw new ApiError('workspace_inactive');
    requireProof(context, person);
    const { workspaceId, slug: workspace } = place;
    const manager = { ...actor, manages: workspaceId, ...(needs === 'active' && { needs }) };
    return { workspaceId, workspace, store: store.as(manager) };
  };
}
