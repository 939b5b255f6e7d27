import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createApiKey, parseApiKey } from '../../contract/api-key.ts';
import { createPairingCode, PAIRING_CODE_LIFE_MS, pairingPage } from '../../contract/pairing-code.ts';
import { OperatorProblem } from '../../process/problem.ts';
import type { EventRecord } from '../../push.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { StoreClient } from '../../store/calls.ts';
import { unwrap } from '../context.ts';
import { eventsAddress, postEvent } from '../posting.ts';

const DEMO_WORKSPACE = 'demo';
const DEMO_CHANNEL = 'hello';
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

export const FIRST = {
  title: 'Hello from pushctl',
  description: 'This event went through the API, the queue and both providers.',
  level: 'success',
};
export const FOR_BROWSERS = {
  title: 'This browser is a device now',
  description: 'Events of the channel “hello” arrive here, even if no page of pushctl is open.',
  level: 'success',
};

interface Api {
  readonly baseUrl: string;
  readonly key: string;
}

export async function postToDemo({ baseUrl, key }: Api, event: Readonly<Record<string, string>>): Promise<EventRecord> {
  const answer = await postEvent(eventsAddress(baseUrl), key, { channel: DEMO_CHANNEL, ...event });
  if ('unanswered' in answer) throw new OperatorProblem(answer.unanswered);
  const { status, body } = answer;
  if (status !== 202)
    throw new OperatorProblem(`the event of the demo was rejected (${status}): ${JSON.stringify(body)}`);
  return (body as { event: EventRecord }).event;
}

/** Returns a curl command on one line, to be copied whole. */
export function curlOf({ baseUrl, key }: Api): string {
  const body = JSON.stringify({ channel: DEMO_CHANNEL, title: 'It works' });
  return [
    `curl ${baseUrl}/v1/events`,
    `-H 'Authorization: Bearer ${key}'`,
    "-H 'Content-Type: application/json' -H 'Accept: application/json'",
    `-d '${body}'`,
  ].join(' ');
}

const LOOK_EVERY_MS = 1_000;
/** The newest come first. */
const PAGE = 100;

export async function listBrowsers(store: StoreClient): Promise<readonly string[]> {
  const { devices } = unwrap(await store.listDevices({ workspace: DEMO_WORKSPACE, limit: PAGE }));
  return devices.filter(({ platform, status }) => platform === 'web' && status === 'active').map(({ id }) => id);
}

/**
 * Subscribes new browsers to the demo's channel, then calls `onNew`. Resolves when aborted; rejects if a look fails.
 */
export async function watchBrowsers(
  store: StoreClient,
  before: readonly string[],
  onNew: () => Promise<void>,
  aborted: AbortSignal,
): Promise<void> {
  const known = new Set(before);
  while (!aborted.aborted) {
    for (const id of await listBrowsers(store)) {
      if (known.has(id)) continue;
      known.add(id);
      unwrap(await store.subscribeDevice({ id, channels: [DEMO_CHANNEL], workspace: DEMO_WORKSPACE }));
      await onNew();
    }
    await wait(LOOK_EVERY_MS, undefined, { signal: aborted }).catch(() => {});
  }
}
