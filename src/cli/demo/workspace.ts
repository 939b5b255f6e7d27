import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiKey, parseApiKey } from '../../contract/api-key.ts';
import { createPairingCode, PAIRING_CODE_LIFE_MS, pairingPage } from '../../contract/pairing-code.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { StoreClient } from '../../store/calls.ts';
import { unwrap } from '../context.ts';

export const DEMO_WORKSPACE = 'demo';
export const DEMO_CHANNEL = 'hello';
const EMAIL = 'you@example.com';
const KEY_FILE = 'demo-key';

/** Makes the demo's workspace, channel, person, devices and key if missing. Returns the key. */
export async function prepareWorkspace(store: StoreClient, sandbox: Sandbox, folder: string): Promise<string> {
  const workspaces = await store.listWorkspaces({});
  if (!workspaces.some(({ slug }) => slug === DEMO_WORKSPACE)) {
    unwrap(await store.createWorkspace({ slug: DEMO_WORKSPACE, name: 'Demo' }));
  }
  const channels = unwrap(await store.listChannels({ workspace: DEMO_WORKSPACE }));
  if (!channels.some(({ slug }) => slug === DEMO_CHANNEL)) {
    unwrap(await store.createChannel({ workspace: DEMO_WORKSPACE, slug: DEMO_CHANNEL, name: 'Hello' }));
  }
  const members = unwrap(await store.listMembers({ workspace: DEMO_WORKSPACE }));
  if (!members.some(({ email }) => email === EMAIL)) {
    unwrap(await store.addMember({ workspace: DEMO_WORKSPACE, email: EMAIL, name: 'You', role: 'owner' }));
  }
  await addDevices(store, sandbox);
  return keptKey(store, join(folder, KEY_FILE));
}

/** Makes a sign-in address for the demo's person: once, for 15 minutes. */
export async function makeSignInLink(store: StoreClient, baseUrl: string): Promise<string> {
  const code = createPairingCode();
  unwrap(await store.createPairingCode({ email: EMAIL, codeHash: code.hash, lifeMs: PAIRING_CODE_LIFE_MS }));
  return pairingPage(baseUrl, code.text);
}

/** Adds two devices, whose labels give the same tokens at every start. */
async function addDevices(store: StoreClient, sandbox: Sandbox): Promise<void> {
  const common = { workspace: DEMO_WORKSPACE, email: EMAIL, subscribe: [DEMO_CHANNEL] };
  const iosToken = sandbox.token({ platform: 'ios', environment: 'sandbox', label: 'demo iPhone' });
  const androidToken = sandbox.token({ platform: 'android', label: 'demo Pixel' });
  unwrap(
    await store.addDevice({ ...common, platform: 'ios', environment: 'sandbox', token: iosToken, name: 'iPhone' }),
  );
  unwrap(await store.addDevice({ ...common, platform: 'android', token: androidToken, name: 'Pixel' }));
}

/** Returns the demo's key, kept in an owner-only file to show it again. */
async function keptKey(store: StoreClient, file: string): Promise<string> {
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  const id = parseApiKey(kept)?.id;
  const known = unwrap(await store.listKeys({ workspace: DEMO_WORKSPACE }));
  if (known.some((key) => key.id === id && key.status === 'active')) return kept;
  const { text, ...key } = createApiKey(randomBytes);
  const scopes = ['events:write', 'events:read'] as const;
  unwrap(await store.issueKey({ workspace: DEMO_WORKSPACE, ...key, name: 'demo', scopes }));
  await writeFile(file, `${text}\n`, { mode: 0o600 });
  return text;
}
