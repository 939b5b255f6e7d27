import * as assert from 'uvu/assert';
import { fetchReply, type Reply } from './http.ts';
import type { TestServer } from './server.ts';
import { signIn as tokenFor } from './sign-in.ts';

/** A client that has nothing but the API, and what it has learnt from it. */
export interface Client {
  readonly token: string;
  ask(method: string, path: string, body?: unknown): Promise<Reply>;
}

export async function signIn({ server, team }: TestServer, email: string): Promise<Client> {
  const token = await tokenFor({ http: server, store: team.store }, email);
  return { token, ask: (method, path, body) => ask(server.url, token, method, path, body) };
}

/** One request below `/api/v1`. */
export function ask(url: string, key: string, method: string, path: string, body?: unknown): Promise<Reply> {
  return fetchReply(url, `/api/v1${path}`, { method, key, ...(body !== undefined && { body }) });
}

/** Adds a member, as an operator would, and signs them in. */
export async function aMember(scene: TestServer, email: string): Promise<Client> {
  await scene.team.join(email);
  return signIn(scene, email);
}

/** Registers a device and subscribes it. Answers its public id. */
export async function register(client: Client, device: object, channel = 'alerts'): Promise<string> {
  const { body } = await client.ask('POST', '/devices', device);
  const { id } = body.device as { id: string };
  assert.is((await client.ask('PUT', `/devices/${id}/subscriptions/acme/${channel}`)).status, 204);
  return id;
}
