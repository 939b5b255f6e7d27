import type { Scope } from '../push.ts';
import type { KeyRecord, LostRight } from './calls.ts';

/** Returns a key's fault for `scope`, or null. */
export function keyFault(
  key: Pick<KeyRecord, 'revokedAtMs' | 'expiresAtMs' | 'scopes' | 'workspaceStatus'>,
  scope: Scope,
  wallMs: number,
): LostRight | null {
  if (key.revokedAtMs !== null) return 'key_revoked';
  if (key.expiresAtMs !== null && key.expiresAtMs <= wallMs) return 'key_expired';
  if (!key.scopes.includes(scope)) return 'missing_scope';
  // A suspended workspace sends nothing, but its jobs still run. A missed ping would be a false alert later.
  const mustBeActive = scope !== 'heartbeats:ping';
  return mustBeActive && key.workspaceStatus !== 'active' ? 'workspace_inactive' : null;
}
