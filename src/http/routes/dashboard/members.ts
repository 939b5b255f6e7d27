import type { Role } from '../../../push.ts';
import { bodyReader } from '../../body/body-fields.ts';
import { ApiError } from '../../errors.ts';
import { pageReader, queryReader } from '../../query.ts';
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
    signMemberOut: deleteSessions(service),
    listMembersDevices: getMembersDevices(service),
  } satisfies Routes;
}

/** GET /v1/workspaces/{workspace}/members */
function getMembers({ manage }: Service): Handler {
  const read = queryReader('listMembers');
  return async (context) => {
    const { store, workspace } = await manage(context);
    read(context);
    const members = unwrap(await store.listMembers({ workspace }), 'workspace_not_found');
    return { status: 200, body: { members, next: null } };
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

/** GET /v1/workspaces/{workspace}/devices */
function getMembersDevices({ manage }: Service): Handler {
  const read = pageReader('listMembersDevices', 'limit', 'after');
  return async (context) => {
    const { store, workspace } = await manage(context);
    const page = await store.listDevices({ workspace, ...read(context) });
    return { status: 200, body: unwrap(page, 'workspace_not_found') };
  };
}
