import { randomBytes } from 'node:crypto';
import { createApiKey } from '../../../contract/api-key.ts';
import { bodyReader } from '../../body/body-fields.ts';
import type { Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

/** How long a key that was rotated still works. */
const GRACE_MS = 86_400_000;

export function keyRoutes({ manage }: Service) {
  const readTerms = bodyReader('createKey');
  const readRotation = bodyReader('rotateKey');
  return {
    async createKey(context) {
      const { store, workspace } = await manage(context);
      const { expiresAt, ...terms } = await readTerms(context);
      const { id, secretHash, text } = createApiKey(randomBytes);
      const issued = await store.issueKey({ workspace, id, secretHash, ...terms, ...expiryAt(expiresAt) });
      return { status: 201, body: { key: text, api_key: unwrap(issued, 'workspace_not_found') } };
    },

    async rotateKey(context) {
      const { store, workspace } = await manage(context);
      const { expiresAt, ...terms } = await readRotation(context);
      const { id: newId, secretHash, text } = createApiKey(randomBytes);
      const successor = { newId, secretHash, graceMs: GRACE_MS, ...terms, ...expiryAt(expiresAt) };
      const rotated = await store.rotateKey({ id: context.params.key, workspace, ...successor });
      const { key: issued } = unwrap(rotated, 'key_not_found');
      return { status: 201, body: { key: text, api_key: issued } };
    },
  } satisfies Routes;
}

function expiryAt(timestamp: string | undefined): { readonly expires?: { readonly atMs: number } } {
  return timestamp === undefined ? {} : { expires: { atMs: Date.parse(timestamp) } };
}
