import { randomBytes } from 'node:crypto';
import { createApiKey } from '../../../contract/api-key.ts';
import type { Scope } from '../../../push.ts';
import { bodyReader } from '../../body/session-body.ts';
import type { Handler } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly channels?: readonly string[];
  readonly expires_at?: string;
  readonly burst_per_minute?: number;
}

interface RotationRequest {
  readonly expires_at?: string;
  readonly again?: boolean;
}

/** How long a key that was rotated still works. */
const GRACE_MS = 86_400_000;

/** GET /v1/workspaces/{workspace}/keys */
export function getKeys({ manage }: Service): Handler {
  return async (context) => {
    const { store, workspace } = await manage(context);
    const keys = unwrap(await store.listKeys({ workspace }), 'workspace_not_found');
    return { status: 200, body: { api_keys: keys, next: null } };
  };
}

/** POST /v1/workspaces/{workspace}/keys */
export function postKey({ manage }: Service): Handler {
  const read = bodyReader<KeyRequest>('key-request');
  return async (context) => {
    const { store, workspace } = await manage(context);
    const { name, scopes, channels, expires_at: expiresAt, burst_per_minute: burstPerMinute } = await read(context);
    const { id, secretHash, text } = createApiKey(randomBytes);
    const terms = {
      name,
      scopes,
      ...(channels !== undefined && { channels }),
      ...(expiresAt !== undefined && { expires: { atMs: Date.parse(expiresAt) } }),
      ...(burstPerMinute !== undefined && { burstPerMinute }),
    };
    const issued = await store.issueKey({ workspace, id, secretHash, ...terms });
    return { status: 201, body: { key: text, api_key: unwrap(issued, 'workspace_not_found') } };
  };
}

/** POST /v1/workspaces/{workspace}/keys/{key}/rotate */
export function postRotation({ manage }: Service): Handler {
  const read = bodyReader<RotationRequest>('rotation-request', { isOptional: true });
  return async (context) => {
    const { store, workspace } = await manage(context);
    const { expires_at: expiresAt, again } = await read(context);
    const { id: newId, secretHash, text } = createApiKey(randomBytes);
    const terms = {
      graceMs: GRACE_MS,
      ...(expiresAt !== undefined && { expires: { atMs: Date.parse(expiresAt) } }),
      ...(again !== undefined && { again }),
    };
    const args = { id: context.params.key, workspace, newId, secretHash, ...terms };
    const { key: issued } = unwrap(await store.rotateKey(args), 'key_not_found');
    return { status: 201, body: { key: text, api_key: issued } };
  };
}

/** POST /v1/workspaces/{workspace}/keys/{key}/revoke */
export function postRevocation({ manage }: Service): Handler {
  return async (context) => {
    const { store, workspace } = await manage(context);
    const revoked = await store.revokeKey({ id: context.params.key, workspace });
    return { status: 200, body: { api_key: unwrap(revoked, 'key_not_found') } };
  };
}
