import type { ApiKey } from '../../src/store/calls.ts';
import { ADA } from './cast.ts';
import { type Api, type Reply, withApi } from './http.ts';
import { aPerson } from './sign-in.ts';

export const EVENT = { channel: 'alerts', title: 'Done' };

export interface Dashboard {
  readonly api: Api;
  readonly token: string;
  ask(method: string, path: string, body?: unknown): Promise<Reply>;
}

/** The dashboard of `acme`, for its owner or who else is named. */
export async function withDashboard(use: (dashboard: Dashboard) => Promise<void>): Promise<void> {
  await withApi(async (api) => {
    const token = await aPerson(api, ADA, { role: 'owner' });
    await use({ api, token, ask: (method, path, body) => ask(api, token, method, path, body) });
  });
}

export function ask(api: Api, key: string, method: string, path: string, body?: unknown): Promise<Reply> {
  return api.request(`/api/v1/workspaces/acme/${path}`, { method, key, ...(body !== undefined && { body }) });
}

export function keyOf({ body }: Reply): ApiKey {
  return body.api_key as ApiKey;
}
