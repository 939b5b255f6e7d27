import type { Role } from '../../../push.ts';
import type { ArgsOf } from '../../../store/calls.ts';
import { bodyReader } from '../../body/body-fields.ts';
import { ApiError } from '../../errors.ts';
import { PAGE, queryReader } from '../../query.ts';
import type { Handler, Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';
import { invitationOf } from '../pairing.ts';

interface NewMember {
  readonly email: string;
  readonly name?: string;
  readonly role: Role;
}

export function memberRoutes(service: Service) {
  return {
    leaveWorkspace: deleteOwnMembership(service),
    listMembers: getMembers(service),
    addMember: postMember(service),
    updateMember: patchMember(service),
    removeMember: deleteMember(service),
    showMember: getMember(service),
    signMemberOut: deleteSessions(service),
  } satisfies Routes;
}

/** GET /v1/workspaces/{workspace}/members */
function getMembers({ manage }: Service): Handler {
  const read = queryReader<Omit<ArgsOf<'findMembers'>, 'workspace' | 'limit'> & { readonly limit?: number }>(
    'listMembers',
  );
  return async (context) => {
    const { store, workspace } = await manage(context);
    const page = await store.findMembers({ workspace, limit: PAGE, ...read(context) });
    return { status: 200, body: unwrap(page, 'workspace_not_found') };
  };
}

/** GET /v1/workspaces/{workspace}/members/{email} */
function getMember({ manage }: Service): Handler {
  return async (context) => {
    const { store, workspace } = await manage(context);
    const member = await store.showMember({ workspace, email: context.params.email });
    return { status: 200, body: { member: unwrap(member, 'member_not_found') } };
  };
}

/** POST /v1/workspaces/{workspace}/members */
function postMember({ manage, config }: Service): Handler {
  const read = bodyReader<NewMember>('member-request');
  return async (context) => {
    const { store, workspace } = await manage(context);
    const member = unwrap(await store.addMember({ workspace, ...(await read(context)) }), 'workspace_not_found');
    return { status: 201, body: { member, invitation: await invitationOf({ store, config }, workspace, member) } };
  };
}

/** PATCH /v1/workspaces/{workspace}/members/{email} */
function patchMember({ manage, config }: Service): Handler {
  const read = bodyReader<{ readonly role: Role }>('member-change');
  return async (context) => {
    const { store, workspace } = await manage(context);
    const { role } = await read(context);
    const { email } = context.params;
    const changed = unwrap(await store.setMemberRole({ workspace, email, role }), 'member_not_found');
    const { member, waits } = changed;
    const invitation = waits ? await invitationOf({ store, config }, workspace, member) : null;
    return { status: 200, body: { member, invitation } };
  };
}

/** DELETE /v1/workspaces/{workspace}/members/{email} */
function deleteMember({ manage }: Service): Handler {
  const read = queryReader<{ readonly endInvited?: boolean }>('removeMember');
  return async (context) => {
    const { store, workspace } = await manage(context);
    const { email } = context.params;
    unwrap(await store.removeMember({ workspace, email, ...read(context) }), 'member_not_found');
    return { status: 204 };
  };
}

/** DELETE /v1/workspaces/{workspace}/members/{email}/sessions */
function deleteSessions({ manage }: Service): Handler {
  return async (context) => {
    const { store, workspace } = await manage(context);
    const { email } = context.params;
    unwrap(await store.closeSessions({ workspace, email }), 'member_not_found');
    return { status: 204 };
  };
}

/** DELETE /v1/workspaces/{workspace}/members/me */
function deleteOwnMembership({ authenticate }: Service): Handler {
  return async (context) => {
    const { store, user, memberships } = await authenticate(context);
    const place = memberships.find(({ slug }) => slug === context.params.workspace);
    if (place === undefined) throw new ApiError('workspace_not_found');
    unwrap(await store.removeMember({ workspace: place.slug, email: user.email }), 'workspace_not_found');
    return { status: 204 };
  };
}
