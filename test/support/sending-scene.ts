import { type OpenClaim, OpenClaims } from '../../src/delivery/open-claims.ts';
import { systemClock } from '../../src/process/clock.ts';
import type { StoreClient } from '../../src/store/calls.ts';
import { ADA, BOB } from './cast.ts';
import { temporarySchema } from './postgres.ts';
import { aNode, PATIENT, type TestNode } from './postgres-nodes.ts';
import { Resources } from './resources.ts';
import { aWorkspace, type TestWorkspace, tokenOf, userIdOf } from './workspace.ts';

export const LANE = { route: 'apns_production', lane: 'standard', limit: 100, batchSize: 100 } as const;

type End = (calls: StoreClient, ids: { readonly deviceId: string; readonly publicId: string }) => Promise<unknown>;

/** Each way in which the right to a push ends, and which of the two pushes of `somethingOut` that recalls. */
export const ENDS: Readonly<Record<string, readonly [End, readonly number[]]>> = {
  'a device is removed': [(calls, { deviceId: id }) => calls.removeDevice({ id }), [1, 0]],
  'a device is unsubscribed': [
    async (calls, { deviceId }) =>
      calls.unsubscribe({ userId: await userIdOf(calls, BOB), deviceId, workspace: 'acme', channel: 'alerts' }),
    [1, 0],
  ],
  'a workspace is suspended': [(calls) => calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }), [1, 1]],
  'a workspace is deleted': [(calls) => calls.deleteWorkspace({ slug: 'acme' }), [1, 1]],
  'a channel is deleted': [(calls) => calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }), [1, 1]],
  'a member is removed': [(calls) => calls.removeMember({ workspace: 'acme', email: BOB }), [1, 0]],
  'an event is cancelled': [(calls, { publicId }) => calls.cancelEvent({ publicId }), [1, 1]],
};

/** A node whose relay has something out. */
export interface Sender extends TestNode {
  readonly openClaims: OpenClaims;
  claim(): Promise<readonly OpenClaim[]>;
}

export interface SendingScene extends TestWorkspace {
  readonly opened: Resources;
  readonly url: string;
  /** The node that makes changes. */
  readonly changing: TestNode;
  readonly sending: Sender;
}

/** Two nodes: changes are made at one, while the other sends. */
export async function aSendingScene(): Promise<SendingScene & AsyncDisposable> {
  const opened = new Resources();
  const url = await temporarySchema();
  const changing = await aNode({ url, node: 'changing', ...PATIENT });
  opened.add({ close: () => changing.store.close() });
  const sending = await aSender(opened, { url, node: 'sending' });
  const workspace = await aWorkspace(changing.calls, {});
  return { ...workspace, opened, url, changing, sending, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** An event for a device of Bob's and for one of Ada's, behind what is there. */
export async function somethingOut(
  scene: SendingScene,
  n = 1,
): Promise<{ readonly deviceId: string; readonly publicId: string }> {
  if (n === 1) await scene.join(BOB);
  const deviceId = await scene.addDevice({ token: tokenOf(n) }, BOB);
  await scene.addDevice({ token: tokenOf(1_000 + n) }, ADA);
  const { public_id: publicId } = (await scene.accept()).event;
  return { deviceId, publicId };
}

export async function aSender(opened: Resources, options: Parameters<typeof aNode>[0]): Promise<Sender> {
  const node = await aNode(options);
  opened.add({ close: () => node.store.close() });
  const openClaims = new OpenClaims(systemClock());
  node.store.onRevocations((revocations) => openClaims.revoke(revocations));
  const claim = async () => (await openClaims.ask(() => node.calls.claimBatches(LANE))).claims;
  return { ...node, openClaims, claim };
}
