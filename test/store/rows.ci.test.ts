/**
 * Every call of the store beside 100,000 rows of each large table, half of them in another workspace. What goes to the
 * queue on its way to a provider is counted by row-reads.ci.test.ts.
 */

import { v7 } from 'uuid';
import * as assert from 'uvu/assert';
import { type ArgsOf, CALL_NAMES, type CallName } from '../../src/store/calls.ts';
import { type CallRequest, isLongRead } from '../../src/store/reply.ts';
import { ADA } from '../support/cast.ts';
import { aCrowd, busyDevice } from '../support/crowd.ts';
import { conformance } from '../support/engines.ts';
import { hashOf, idOf, signIn } from '../support/people.ts';
import { granted } from '../support/refusals.ts';
import { rowCounts } from '../support/row-counts.ts';
import { tokenOf } from '../support/workspace.ts';
import { NOW_MS, type World } from '../support/world.ts';

/** Of one transaction on the thread that writes. */
const MOST_CHANGED = 500;
/** Entries of indexes, and rows of tables that are read without one: of 500 rows, of which an alert has up to five. */
const MOST_SCANNED = 2_500;
/** What is bounded by something else. */
const BUT: Readonly<Partial<Record<CallName, { changed?: number; scanned?: number; why: string }>>> = {
  runRound: { scanned: 3_000, why: 'PostgreSQL may read as many channels as two workspaces have instead of 100' },
};
/** Rows of these are few in all workspaces together, or the statement ends with the first that it finds. */
const MAY_SCAN: Readonly<Partial<Record<CallName, RegExp>>> = {
  listWorkspaces: /^SCAN workspace USING INDEX/,
  expireAlerts: /^SCAN (?:webhook_message|insisting|alert USING INDEX alert_(?:open|snoozed))/,
  nextRelease: /^SCAN event USING INDEX event_scheduled/,
  tendHeartbeats: /^SCAN heartbeat USING COVERING INDEX/,
  pruneStep: /^SCAN webhook USING INDEX webhook_forgets/,
  nextRound: /^SCAN channel USING (?:COVERING )?INDEX channel_insists/,
  nextWebhookMessage: /^SCAN webhook/,
  takeWebhookMessages: /^SCAN webhook$/,
};

const { test, run } = conformance('rows');

const NOW = { wallMs: NOW_MS, steadyMs: NOW_MS };
const NEITHER = 'needs what only a server has';

type Asked = { readonly [N in CallName]: readonly Partial<ArgsOf<N>>[] | string };

async function everyCall(world: World): Promise<Asked> {
  const { calls, workspaceId } = world;
  const userId = await idOf(world);
  await signIn(world, 'token');
  const tokenHash = hashOf('token');
  const workspace = 'acme';
  const key = await world.issueKey();
  const reach = { workspaceId, boundKeyId: null };
  const publicId = await world.post({ level: 'error', urgency: 'time_sensitive', collapseKey: 'mine' });
  const [id = ''] = world.devices;
  const busy = busyDevice(workspaceId);
  const channel = 'alerts';
  const webhookId = granted(await calls.listWebhooks({ workspace }))[0]?.id ?? '';
  granted(await calls.createHeartbeat({ workspace, channel, slug: 'job' }));
  const uuid = granted(await calls.showHeartbeat({ workspace, slug: 'job' })).uuid ?? '';
  const pingKey = await world.issueKey({ scopes: ['heartbeats:ping'], channels: [channel] });
  const pinged = { workspaceId, keyId: pingKey.id, origin: pingKey.id, slug: 'job' };
  const group = { ...reach, channel, group: 'a group' };
  const importTo = { importId: v7(), workspace, email: ADA };
  const lines = Array.from({ length: 400 }, (_, n) => ({
    line: n,
    device: { platform: 'ios' as const, token: tokenOf(900_000_000 + n), subscribe: [channel] },
  }));
  granted(await calls.stageImport({ ...importTo, lines }));
  granted(await calls.commitImport(importTo));
  const named = { workspace, slug: channel };
  const limit = 100;
  const device = { userId, deviceId: id, workspace, channel };
  const event = world.anEvent({ level: 'error', urgency: 'time_sensitive', collapseKey: 'k7' });
  return {
    ping: [{}],
    proveWritable: NEITHER,
    findKey: [{ id: key.id }],
    touchKey: [{ id: key.id }],
    describeConnection: [{ keyId: key.id }],
    acceptEvent: [event, { ...event, level: 'success' }, { ...event, collapseKey: null }],
    checkEvent: [event],
    countUses: NEITHER,
    takeBackUses: NEITHER,
    endsOfAlerts: [group],
    noteEndsOfAlerts: [{ ...group, ended: { disk: 1 } }],
    readEvent: [{ ...reach, publicId }],
    readUsage: [{ workspaceId }],
    listReachedEvents: [
      { ...reach, limit },
      { ...reach, channel, limit, level: 'error' },
    ],
    listReachedChannels: [reach],
    vapidKeys: [{}],
    publicDeviceIds: [{ ids: [1_000_001, 1_000_002] }],
    deviceOwners: [{ ids: [1_000_001, 1_000_002] }],
    claimBatches: NEITHER,
    settleBatch: NEITHER,
    releaseBatch: NEITHER,
    expireOverdue: NEITHER,
    listPauses: NEITHER,
    pruneStep: [{}],
    shareToken: NEITHER,
    tokenAccepted: NEITHER,
    queueDepth: NEITHER,
    readStatus: [{}],
    queueAge: NEITHER,
    createWorkspace: [{ slug: 'new' }],
    listWorkspaces: [{}],
    showWorkspace: [{ slug: workspace }],
    renameWorkspace: [{ slug: workspace, name: 'A' }],
    setWorkspaceStatus: [{ slug: workspace, status: 'suspended' }],
    setWorkspacePlan: [{ slug: workspace, plan: 'unlimited' }],
    deleteWorkspace: [{ slug: workspace }],
    setPlan: [{ name: 'small', monthlyEvents: 5 }],
    listPlans: [{}],
    createChannel: [{ workspace, slug: 'new' }],
    listChannels: [{ workspace }],
    showChannel: [named],
    listSubscribers: [{ ...named, limit }],
    updateChannel: [
      { ...named, insist: null },
      { ...named, status: 'inactive' },
      { ...named, newSlug: 'renamed' },
    ],
    deleteChannel: [named],
    issueKey: [{ workspace, id: 'k'.repeat(12), secretHash: hashOf('x'), scopes: ['events:write'] }],
    listKeys: [{ workspace }],
    listAllKeys: [{ limit }],
    revokeKey: [{ id: key.id }],
    rotateKey: [{ id: key.id, newId: 'n'.repeat(12), secretHash: hashOf('y'), graceMs: 1 }],
    addMember: [{ workspace, email: 'new@example.com', role: 'member' }],
    listMembers: [{ workspace }],
    renameUser: [{ email: ADA, name: 'A' }],
    setMemberRole: [{ workspace, email: 'p1@acme.example', role: 'admin' }],
    removeMember: [
      { workspace, email: 'p1@acme.example' },
      { workspace, email: 'p6@acme.example' },
    ],
    createPairingCode: [{ email: ADA, codeHash: hashOf('c'), lifeMs: 1_000 }],
    listRoutes: [{}],
    pauseRoute: [{ route: 'fcm' }],
    resumeRoute: [{ route: 'fcm' }],
    showWebPushKey: [{}],
    recordBackup: NEITHER,
    addDevice: [{ workspace, email: ADA, platform: 'ios', token: tokenOf(77), subscribe: [channel] }],
    listDevices: [
      { workspace, limit },
      { workspace, limit, channel, q: 'nobody' },
    ],
    showDevice: [{ workspace, id }],
    exportDevices: [{ workspace, limit }],
    removeDevice: [{ id }, { id: busy }],
    subscribeDevice: [{ id, workspace, channels: ['leads'] }],
    unsubscribeDevice: [{ id, workspace, channels: [channel] }],
    moveDevice: [{ id, email: 'p1@acme.example' }],
    pruneDevices: [{ route: 'apns_production', reason: 'BadDeviceToken' }],
    testDevice: [{ id, uuid: v7() }],
    stageImport: [{ ...importTo, importId: v7(), lines }],
    commitImport: [importTo],
    registerImported: [importTo],
    dropImport: [importTo],
    listEvents: [
      { workspace, limit },
      { workspace, channel, level: 'error', limit },
    ],
    resendEvent: [{ publicId }],
    continueResend: [{ publicId }],
    repostEvent: [{ publicId, uuid: v7() }],
    cancelEvent: [{ publicId }],
    continueCancel: [{ publicId }],
    nextRelease: [{}],
    releaseDue: [{}],
    listWaiting: [{ after: 0, limit }],
    findScheduled: [{ ...reach, channel, collapseKey: 'k7', publicId }],
    showEvent: [{ publicId, limit }],
    findWatched: [{ workspace, channel }],
    createHeartbeat: [{ workspace, channel, slug: 'another' }],
    listHeartbeats: [{ workspace }],
    showHeartbeat: [{ workspace, slug: 'job' }],
    updateHeartbeat: [
      { workspace, slug: 'job', name: 'J' },
      { workspace, slug: 'job', channel: 'leads' },
    ],
    pauseHeartbeat: [{ workspace, slug: 'job' }],
    resumeHeartbeat: [{ workspace, slug: 'job' }],
    deleteHeartbeat: [{ workspace, slug: 'job' }],
    listReachedHeartbeats: [reach],
    knowsHeartbeat: [{ uuid }],
    findNamedHeartbeat: [pinged],
    addNamedHeartbeat: [{ ...pinged, slug: 'named' }],
    putHeartbeat: [
      { ...reach, slug: 'put', channel },
      { ...reach, slug: 'job', channel: 'leads' },
    ],
    pingHeartbeat: [{ uuid, kind: 'fail', rid: null, output: null, exitStatus: 1 }],
    tendHeartbeats: [{}],
    listAlerts: [
      { userId, limit },
      { reach, limit },
      { reach, limit: 1, channel, collapseKey: 'k9' },
      { workspace, limit, state: 'ended' },
      { workspace, limit, collapseKey: 'none' },
    ],
    showAlert: [{ publicId }],
    acknowledgeAlert: [{ publicId }, { publicId, all: true }, { publicId, all: true, forS: 600 }],
    resolveAlert: [{ publicId }],
    expireAlerts: [{}],
    countAlerts: [{}],
    nextRound: [{}],
    runRound: [{}],
    findUser: [{ email: ADA }],
    openSession: [{ userId, password: 'x', tokenHash: hashOf('s') }],
    redeemPairingCode: [{ codeHash: hashOf('none'), tokenHash: hashOf('s') }],
    openByPasskey: NEITHER,
    findPasskey: [{ passkeyId: hashOf('p') }],
    addPasskey: NEITHER,
    listPasskeys: [{ userId, tokenHash }],
    removePasskey: [{ userId, tokenHash, id: hashOf('p') }],
    addVouchers: [{ tokenHash, userId, codeHash: hashOf('none') }],
    findSession: [{ tokenHash }],
    confirmSession: [{ tokenHash, userId, codeHash: hashOf('none') }],
    touchSession: [{ tokenHash }],
    shortenSessions: [{}],
    closeSession: [{ tokenHash }],
    listSessions: [{ email: ADA }],
    closeSessions: [{ email: ADA }],
    listOwnSessions: [{ userId, tokenHash }],
    changePassword: [{ userId, tokenHash, current: null, password: 'x' }],
    setPassword: [{ email: ADA, password: 'x' }],
    pairByIdentity: [
      { issuer: 'https://example.com', subject: 's', email: ADA, codeHash: hashOf('i'), lifeMs: 1_000, isProof: true },
    ],
    listIdentities: [{ email: ADA }],
    unlinkIdentities: [{ email: ADA }],
    registerDevice: [{ userId, platform: 'ios', token: tokenOf(78) }],
    listOwnDevices: [{ userId, limit }],
    updateDevice: [{ userId, id, name: 'Mine' }],
    subscribe: [{ ...device, channel: 'leads' }],
    unsubscribe: [device],
    listChannelsFor: [{ userId, workspace }],
    listInbox: [
      { userId, limit },
      { userId, limit, unread: true },
    ],
    markInboxRead: [{ userId, workspace, upTo: publicId }],
    markEventsRead: [{ userId, events: [publicId] }],
    markEventsUnread: [{ userId, events: [publicId] }],
    readInboxEvent: [{ userId, publicId }],
    findMembers: [
      { workspace, limit },
      { workspace, limit, hasDevice: false },
    ],
    showMember: [{ workspace, email: ADA }],
    listAudit: [
      { workspace, limit },
      { workspace, limit, action: 'none' },
    ],
    stats: [{ workspace, sinceMs: 0 }],
    createWebhook: [{ workspace, url: 'https://example.com/2', secret: `whsec_${'B'.repeat(43)}=` }],
    listWebhooks: [{ workspace }],
    showWebhook: [{ workspace, id: webhookId }],
    updateWebhook: [{ workspace, id: webhookId, status: 'disabled' }],
    rotateWebhook: [{ workspace, id: webhookId, secret: `whsec_${'C'.repeat(43)}=`, graceMs: 1 }],
    testWebhook: [{ workspace, id: webhookId }],
    deleteWebhook: [{ workspace, id: webhookId }],
    nextWebhookMessage: [{}],
    takeWebhookMessages: [{ limit: 10 }],
    settleWebhookMessage: [{ webhookId, messageId: 1, lease: 0, outcome: { kind: 'gone' } }],
  };
}

test('no call changes or reads more than some hundred rows, however many there are', async (engine) => {
  const world = await aCrowd(engine);
  const asked = await everyCall(world);
  const count = rowCounts(world, engine.name);
  const faults: string[] = [];
  for (const name of CALL_NAMES) {
    const calls = asked[name];
    if (typeof calls === 'string') continue;
    const { changed: mostChanged = MOST_CHANGED, scanned: mostScanned = MOST_SCANNED } = BUT[name] ?? {};
    for (const args of calls) {
      const what = `${name} ${JSON.stringify(args).slice(0, 100)}`;
      const { changed, scanned, most, scans } = await count(name, args, NOW);
      if (changed > mostChanged) faults.push(`${what} changes ${changed} rows: ${most}`);
      if (isLongRead({ name, args } as CallRequest)) continue;
      if (scanned !== null && scanned > mostScanned) faults.push(`${what} reads ${scanned} rows: ${most}`);
      const whole = scans?.filter((step) => !MAY_SCAN[name]?.test(step)) ?? [];
      if (whole.length > 0) faults.push(`${what} reads all of something: ${whole}`);
    }
  }
  assert.equal(faults, []);
});

run();
