/**
 * Every call of the store beside 100,000 rows of each large table, half of them in another workspace. What goes to the
 * queue on its way to a provider is read by row-reads.ci.test.ts as well.
 */

import { v7 } from 'uuid';
import * as assert from 'uvu/assert';
import { publicIdOf } from '../../src/contract/public-id.ts';
import { ROUTES, type Target } from '../../src/push.ts';
import { MOST_REPORTS } from '../../src/store/calls/own-devices.ts';
import {
  type ArgsOf,
  CALL_NAMES,
  type CallName,
  type Claim,
  type ClaimAnswer,
  type ImportLine,
  isRefusal,
  type Verdict,
} from '../../src/store/calls.ts';
import { type CallRequest, isLongRead } from '../../src/store/reply.ts';
import { ADA } from '../support/cast.ts';
import { aCrowd, busyDevice, databaseOf, MUCH_SIGNED_IN, manyChannelsKey } from '../support/crowd.ts';
import { conformance } from '../support/engines.ts';
import { hashOf, idOf, signIn } from '../support/people.ts';
import { granted } from '../support/refusals.ts';
import { rowCounts } from '../support/row-counts.ts';
import { tokenOf } from '../support/workspace.ts';
import { HOUR_MS, NOW_MS, type World } from '../support/world.ts';

/** Rows of one transaction on the thread that writes. */
const MOST_CHANGED = 500;
/** Entries of indexes, and rows of tables that are read without one: of 500 rows, of which an alert has up to five. */
const MOST_SCANNED = 2_500;
/** A device is answered with its 500 subscriptions, each with a channel, a workspace and a member; 2,000 single marks are counted. */
const MAY_READ: Readonly<Partial<Record<CallName, number>>> = {
  moveDevice: 4_000,
  registerDevice: 4_000,
  updateDevice: 4_000,
  markEventsRead: 4_000,
};
/** Rows of these are few in all workspaces together, or 1,000 at most, or the statement ends with the first that it finds. */
const MAY_SCAN: Readonly<Partial<Record<CallName, RegExp>>> = {
  listWorkspaces: /^SCAN workspace USING INDEX/,
  claimBatches: /^SCAN event USING INDEX event_unfinished/,
  expireAlerts: /^SCAN (?:webhook_message|insisting|alert USING INDEX alert_(?:open|snoozed))/,
  missReceipts: /^SCAN reporter USING (?:COVERING )?INDEX reporter_reports/,
  nextRelease: /^SCAN event USING INDEX event_scheduled/,
  tendHeartbeats: /^SCAN heartbeat USING (?:COVERING )?INDEX/,
  pruneStep: /^SCAN webhook USING INDEX webhook_forgets/,
  nextRound:
    /^SCAN (?:(?:turn|wide|latest|pushed|here|there|last)\b|channel USING (?:COVERING )?INDEX channel_soonest)/,
  runRound: /^SCAN (?:wide|latest|pushed|here|there|last|chain|reached)\b/,
  nextWebhookMessage: /^SCAN webhook/,
  showEvent: /^SCAN looked_at$/,
  takeWebhookMessages: /^SCAN webhook$/,
};

/** There is nothing to do for these, or it is done. */
const MAY_REFUSE: readonly CallName[] = [
  'commitImport',
  'resendEvent',
  'addPasskey',
  'removePasskey',
  'reopenAlert',
  'endOwnMaintenance',
];

/** Lists of what a workspace has. */
const LISTS: readonly CallName[] = CALL_NAMES.filter((name) =>
  /^(?:list|find|export)(?:Reached|Own)?(?:Channels|ChannelsFor|Keys|Members|Devices|Events|Inbox|Heartbeats|Alerts|Audit|Webhooks|Subscribers|Maintenance|Rotas)$/.test(
    name,
  ),
);
/** A step that begins with the workspace, or with what belongs to one alone. */
const OF_WORKSPACE =
  /^SEARCH \w+ USING (?:COVERING )?(?:INDEX \w+|PRIMARY KEY) \((?:workspace_id|channel_id|holder|user_id)[=>]\?/;

const { test, run } = conformance('rows');

const NOW = { wallMs: NOW_MS, steadyMs: NOW_MS };

/** Arguments of each call; a call that follows a claim makes them from what was claimed. */
type Asked = {
  readonly [N in CallName]: readonly (Partial<ArgsOf<N>> | ((claimed: ClaimAnswer) => Partial<ArgsOf<N>>))[];
};

const URGENT = { route: 'apns_production', lane: 'urgent' } as const;

function settled(
  { claims }: ClaimAnswer,
  place: number,
  verdictOf: (target: Target) => Verdict,
): ArgsOf<'settleBatch'> {
  const { claimId, targets } = claims[place] as Claim;
  assert.ok(targets.length > 90, 'a full batch');
  return {
    claimId,
    verdicts: targets.map((target, index) => ({ index, verdict: verdictOf(target), fitted: false, linksLost: false })),
  };
}

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
  const window = granted(await calls.createMaintenance({ workspace, slug: channel, for: 3_600 }));
  const group = { ...reach, channel, group: 'a group' };
  granted(await calls.createRota({ workspace, slug: 'turns', members: [ADA] }));
  const override = granted(
    await calls.addOverride({ workspace, slug: 'turns', member: ADA, fromMs: NOW_MS, untilMs: NOW_MS + HOUR_MS }),
  );
  const importTo = { importId: v7(), workspace, email: ADA };
  const imported = async (importId: string, lines: readonly ImportLine[]) => {
    granted(await calls.stageImport({ ...importTo, importId, lines }));
    granted(await calls.commitImport({ ...importTo, importId }));
  };
  const signedIn = `${MUCH_SIGNED_IN}@acme.example`;
  const busyUser = workspaceId * 10_000 + 6;
  const busyToken = tokenOf(workspaceId * 1_000_000 + 5);
  const eventAt = (nth: number) =>
    publicIdOf(`01930000000070008000${(workspaceId * 1_000_000 + nth).toString(16).padStart(12, '0')}`);
  const first = eventAt(1);
  const reporter = { id: busy, tokenHash: hashOf('device token') };
  const lines = Array.from({ length: 400 }, (_, n) => ({
    line: n,
    device: { platform: 'ios' as const, token: tokenOf(900_000_000 + n), subscribe: [channel] },
  }));
  const [wide, taken] = [v7(), v7()];
  const hundred = Array.from({ length: 100 }, (_, n) => `c${n + 1}`);
  const device = {
    platform: 'ios' as const,
    subscribe: hundred.flatMap((slug, n) => [slug, `c${n + 101}`, `c${n + 201}`]),
  };
  await imported(importTo.importId, lines);
  await imported(wide, [{ line: 1, device: { ...device, token: tokenOf(990_000_000) } }]);
  await imported(
    taken,
    lines.slice(0, 100).map(({ line }) => ({
      line,
      device: { platform: 'ios', token: tokenOf(workspaceId * 1_000_000 + 1 + line) },
    })),
  );
  const named = { workspace, slug: channel };
  const limit = 100;
  const passkey = { passkeyId: hashOf('p'), counter: 1, challengeHash: hashOf('c'), challengeEndsMs: NOW_MS };
  const own = { userId, deviceId: id, workspace, channel };
  const event = world.anEvent({ level: 'error', urgency: 'time_sensitive', collapseKey: 'k7' });
  return {
    ping: [{}],
    proveWritable: [{}],
    findKey: [{ id: key.id }],
    touchKey: [{ id: key.id }],
    describeConnection: [{ keyId: key.id }],
    acceptEvent: [event, { ...event, level: 'success' }, { ...event, collapseKey: null }],
    checkEvent: [event],
    countUses: [{ uses: [{ name: 'u', most: 5, windowMs: 1_000 }] }],
    takeBackUses: [{ names: ['u'], at: [NOW_MS] }],
    endsOfAlerts: [group],
    noteEndsOfAlerts: [{ ...group, ended: { disk: 1 } }],
    readEvent: [{ ...reach, publicId }],
    readUsage: [{ workspaceId }],
    listReachedEvents: [
      { ...reach, limit },
      { ...reach, channel, limit, level: 'error' },
    ],
    listReachedChannels: [reach],
    findVapidKeys: [{}],
    vapidKeys: [{}],
    publicDeviceIds: [{ ids: [1_000_001, 1_000_002] }],
    deviceOwners: [{ ids: [1_000_001, 1_000_002] }],
    claimBatches: [{ ...URGENT, limit: 400, batchSize: 100 }],
    settleBatch: [
      (claimed) => settled(claimed, 0, () => ({ state: 'accepted' })),
      (claimed) => settled(claimed, 2, () => ({ state: 'pending', reason: 'x', retryInMs: 1, spent: true })),
      (claimed) => settled(claimed, 3, ({ token }) => ({ state: 'unregistered', reason: 'x', token, atMs: null })),
    ],
    releaseBatch: [(claimed) => ({ claimId: claimed.claims[1]?.claimId ?? '' })],
    expireOverdue: [{}],
    listPauses: [{}],
    pruneStep: [{}],
    shareToken: [{ name: 'apns', offered: { token: 't', signedAtMs: NOW_MS, instead: null } }],
    tokenAccepted: [{ name: 'apns', token: 't' }],
    queueDepth: [{}],
    readStatus: [{}],
    queueAge: [{}],
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
    issueKey: [{ workspace, id: 'k'.repeat(12), secretHash: hashOf('x'), scopes: ['events:write'], channels: hundred }],
    listKeys: [{ workspace }],
    findKeys: [{ workspace, limit }],
    listAllKeys: [{ limit }],
    revokeKey: [{ id: key.id }],
    rotateKey: [{ id: manyChannelsKey(workspace), newId: 'n'.repeat(12), secretHash: hashOf('y'), graceMs: 1 }],
    addMember: [{ workspace, email: 'new@example.com', role: 'member' }],
    listMembers: [{ workspace }],
    renameUser: [{ email: ADA, name: 'A' }],
    setMemberRole: [{ workspace, email: 'p1@acme.example', role: 'admin' }],
    removeMember: [
      { workspace, email: 'p1@acme.example' },
      { workspace, email: 'p6@acme.example' },
      { workspace, email: signedIn },
    ],
    createPairingCode: [{ email: ADA, codeHash: hashOf('c'), lifeMs: 1_000 }],
    listRoutes: [{}],
    pauseRoute: [{ route: 'fcm' }],
    resumeRoute: [{ route: 'fcm' }],
    retryDeadLetters: [{}],
    showWebPushKey: [{}],
    recordBackup: [{ file: 'f' }],
    addDevice: [
      { workspace, email: ADA, platform: 'ios', token: tokenOf(77), subscribe: hundred },
      { workspace, email: ADA, platform: 'ios', token: tokenOf(workspaceId * 1_000_000 + 1), subscribe: hundred },
    ],
    listDevices: [
      { workspace, limit },
      { workspace, limit, channel, q: 'nobody' },
    ],
    showDevice: [{ workspace, id }],
    exportDevices: [{ workspace, limit }],
    removeDevice: [{ id }, { id: busy }],
    subscribeDevice: [{ id, workspace, channels: hundred }],
    unsubscribeDevice: [
      { id, workspace, channels: [channel] },
      { id: busy, workspace, channels: hundred },
    ],
    moveDevice: [
      { id, email: 'p1@acme.example' },
      { id: busy, email: 'p1@acme.example' },
    ],
    pruneDevices: [{ route: 'apns_production', reason: 'TopicDisallowed' }],
    testDevice: [{ id, uuid: v7() }],
    stageImport: [{ ...importTo, importId: v7(), lines }],
    commitImport: [importTo],
    registerImported: [importTo, { importId: wide }, { importId: taken }],
    continueDevice: [{ id }],
    dropImport: [importTo],
    listMemberEvents: [{ workspace, email: ADA, limit: 50 }],
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
    showEvent: [
      { publicId, limit },
      { publicId, email: signedIn, limit },
    ],
    findWatched: [{ workspace, channel }],
    createHeartbeat: [{ workspace, channel, slug: 'another' }],
    listHeartbeats: [{ workspace }],
    findHeartbeats: [{ workspace, limit }],
    showHeartbeat: [{ workspace, slug: 'job' }],
    updateHeartbeat: [
      { workspace, slug: 'job', name: 'J' },
      { workspace, slug: 'job', channel: 'leads' },
    ],
    pauseHeartbeat: [{ workspace, slug: 'job' }],
    resumeHeartbeat: [{ workspace, slug: 'job' }],
    deleteHeartbeat: [{ workspace, slug: 'job' }],
    listReachedHeartbeats: [{ ...reach, limit }],
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
    reassignAlert: [{ publicId, to: ADA }],
    listAssignees: [{ publicId }],
    reopenAlert: [{ publicId, all: true }, { publicId }],
    resolveAlert: [{ publicId }],
    expireAlerts: [{}],
    countAlerts: [{}],
    listMaintenance: [{ workspace }, { workspace, slug: channel }],
    listMaintenanceOn: [{ userId }],
    createMaintenance: [{ workspace, slug: channel, for: 3_600, only: 'k1*' }],
    updateMaintenance: [{ workspace, slug: channel, id: window.id, note: 'longer', for: 7_200 }],
    endMaintenance: [{ workspace, id: window.id }],
    startMaintenance: [{ ...reach, channel, for: 600 }],
    endOwnMaintenance: [{ ...reach, id: window.id }],
    listRotas: [{ workspace }],
    showRota: [{ workspace, slug: 'turns' }],
    createRota: [{ workspace, slug: 'fresh', members: [ADA] }],
    updateRota: [{ workspace, slug: 'turns', members: [ADA, signedIn] }],
    listShifts: [{ workspace, slug: 'turns', fromMs: NOW_MS - 90 * 24 * HOUR_MS, untilMs: NOW_MS }],
    addOverride: [{ workspace, slug: 'turns', member: ADA, untilMs: NOW_MS + HOUR_MS }],
    endOverride: [{ workspace, slug: 'turns', id: override.id }],
    listOnCall: [{ userId }, reach, {}],
    makeCalendar: [{ userId, secretHash: 'ab'.repeat(32) }],
    readCalendar: [{ secretHash: 'ab'.repeat(32), everyone: true }],
    endCalendar: [{ userId }],
    nextHandover: [{}],
    handOver: [{}],
    deleteRota: [{ workspace, slug: 'turns' }],
    nextRound: [{}],
    runRound: [{}],
    findUser: [{ email: ADA }],
    openSession: [{ userId, password: 'x', tokenHash: hashOf('s') }],
    redeemPairingCode: [{ codeHash: hashOf('none'), tokenHash: hashOf('s') }],
    openByPasskey: [{ tokenHash: hashOf('s'), answer: passkey }],
    findPasskey: [{ passkeyId: hashOf('p') }],
    addPasskey: [{ ...passkey, userId, tokenHash, credential: 'AA', publicKey: 'AA', rpId: 'example.com', name: 'P' }],
    listPasskeys: [{ userId, tokenHash }],
    removePasskey: [{ userId, tokenHash, id: hashOf('p') }],
    addVouchers: [{ tokenHash, userId, codeHash: hashOf('none') }],
    findSession: [{ tokenHash }],
    confirmSession: [{ tokenHash, userId, codeHash: hashOf('none') }],
    touchSession: [{ tokenHash }],
    shortenSessions: [{}],
    closeSession: [{ tokenHash }],
    listSessions: [{ email: ADA }],
    closeSessions: [{ email: ADA }, { email: signedIn }],
    listOwnSessions: [{ userId, tokenHash }],
    changePassword: [{ userId, tokenHash, current: null, password: 'x' }],
    setPassword: [{ email: signedIn, password: 'x' }],
    pairByIdentity: [
      { issuer: 'https://example.com', subject: 's', email: ADA, codeHash: hashOf('i'), lifeMs: 1_000, isProof: true },
    ],
    listIdentities: [{ email: ADA }],
    unlinkIdentities: [{ email: ADA }],
    findReporter: [reporter],
    recordReceipts: [
      {
        reports: Array.from({ length: MOST_REPORTS }, (_, nth) => {
          return { ...reporter, publicId: eventAt(nth + 1), atMs: NOW_MS, opened: true };
        }),
      },
    ],
    missReceipts: [{}],
    registerDevice: [
      { userId, platform: 'ios', token: tokenOf(78) },
      { userId: busyUser, platform: 'ios', token: busyToken, environment: 'sandbox' },
    ],
    listOwnDevices: [{ userId, limit }],
    updateDevice: [
      { userId, id, name: 'Mine' },
      { userId: busyUser, id: busy, token: tokenOf(79), environment: 'sandbox' },
      { userId: busyUser, id: busy, token: tokenOf(workspaceId * 1_000_000 + 1), environment: 'sandbox' },
    ],
    subscribe: [{ ...own, channel: 'leads' }],
    unsubscribe: [own],
    listChannelsFor: [{ userId, workspace }],
    listInbox: [
      { userId, limit },
      { userId, limit, unread: true },
    ],
    markInboxRead: [
      { userId, workspace, upTo: publicId },
      { userId, workspace, upTo: publicId, level: 'error' },
    ],
    markEventsRead: [
      { userId, events: [publicId] },
      { userId: busyUser, events: [first] },
    ],
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

/** Calls that have much to do because of something that happened before. */
function scenes({ workspaceId }: World) {
  const id = workspaceId * 1_000_000 + 5;
  const mark = (at: number, wallAt: number) =>
    `DELETE FROM heartbeat_mark; INSERT INTO heartbeat_mark (id, at, wall_at) VALUES (1, ${at}, ${wallAt})`;
  const silent = `UPDATE device SET status = 'inactive' WHERE id = ${id}`;
  const device = { userId: workspaceId * 10_000 + 6, platform: 'ios', token: tokenOf(id) } as const;
  return [
    { after: mark(NOW_MS - HOUR_MS, NOW_MS - HOUR_MS), name: 'tendHeartbeats', args: {} },
    { after: mark(NOW_MS - 1_000, NOW_MS - HOUR_MS), name: 'tendHeartbeats', args: {} },
    {
      after: `${mark(NOW_MS, NOW_MS)}; UPDATE heartbeat SET down_at = ${NOW_MS - 1}`,
      name: 'tendHeartbeats',
      args: {},
    },
    {
      after: `UPDATE maintenance SET from_at = ${NOW_MS - HOUR_MS}, until_at = ${NOW_MS - 1}`,
      name: 'runRound',
      args: {},
    },
    {
      after: `UPDATE maintenance SET from_at = ${NOW_MS - HOUR_MS}, until_at = ${NOW_MS - 1}, cursor = ${Number.MAX_SAFE_INTEGER - 1}`,
      name: 'runRound',
      args: {},
    },
    ...alertsOfOnePerson(workspaceId),
    { after: silent, name: 'registerDevice', args: device },
    { after: silent, name: 'pruneStep', args: {} },
    {
      after: `UPDATE device SET status = 'active', generation = 1 WHERE id = ${id};
        DELETE FROM cleanup_job; INSERT INTO cleanup_job (kind, workspace_id, id) VALUES ('device', 0, ${id})`,
      name: 'continueDevice',
      args: { id: busyDevice(workspaceId) },
    },
  ] as const satisfies readonly { readonly after: string; readonly name: CallName; readonly args: object }[];
}

/** Thousands of alerts ring for one person alone, in both channels that they have reached. Hundreds of channels are watched. */
function alertsOfOnePerson(workspaceId: number) {
  const channels = `SELECT id FROM channel WHERE workspace_id = ${workspaceId} AND slug IN ('alerts', 'leads')`;
  const laterMs = NOW_MS + HOUR_MS;
  const [first, last] = [workspaceId * 1_000_000 + 45_000, workspaceId * 1_000_000 + 49_000];
  const after = `
    UPDATE channel SET rota_id = (SELECT max(id) FROM rota), widen_after = 3600, insist_repeat = 60, insist_until = 7200 WHERE id IN (${channels});
    UPDATE alert SET widen_at = ${laterMs}, due_at = ${laterMs}, stops_at = ${laterMs} WHERE event_id BETWEEN ${first} AND ${last};
    UPDATE escalation SET widen_at = ${laterMs} WHERE event_id BETWEEN ${first} AND ${last};
    UPDATE event SET on_call = ${workspaceId * 10_000 + 6} WHERE id BETWEEN ${first} AND ${last};
    INSERT INTO watched_channel (channel_id, workspace_id, set_at) SELECT id, workspace_id, ${NOW_MS} FROM channel WHERE true`;
  const there = `UPDATE event SET channel_id = (SELECT max(id) FROM channel WHERE id IN (${channels})) WHERE id BETWEEN ${last - 9} AND ${last}`;
  const due = `UPDATE insisting SET next_at = ${NOW_MS}`;
  const ended = `
    INSERT INTO escalation (event_id, place, channel_id, widen_at)
    SELECT event_id + 500000, 1, channel_id, widen_at + 1 FROM escalation WHERE event_id BETWEEN ${first} AND ${last}`;
  const look = { paused: ROUTES, unheardIn: Array.from({ length: 50 }, (_, nth) => 1 + nth) };
  return [
    { after, name: 'nextRound', args: {} },
    { after: 'SELECT 1', name: 'nextRound', args: { paused: ROUTES } },
    { after: due, name: 'runRound', args: look },
    { after: `${there}; ${due}`, name: 'runRound', args: look },
    { after: ended, name: 'nextRound', args: { paused: ROUTES } },
    { after: due, name: 'runRound', args: look },
  ] as const;
}

test('no call changes or reads more than some hundred rows, however many there are', async (engine) => {
  const world = await aCrowd(engine);
  const asked = await everyCall(world);
  await using counts = rowCounts(world, engine.name);
  const { count } = counts;
  const faults: string[] = [];
  let claimed: ClaimAnswer = { claims: [], nextDueInMs: null, finished: [] };

  async function walk(name: CallName, args: object): Promise<void> {
    const what = `${name} ${JSON.stringify(args).slice(0, 100)}`;
    const { answer, changed, scanned, most, scans, steps } = await count(name, args, NOW);
    if (isRefusal(answer) && !MAY_REFUSE.includes(name)) faults.push(`${what} is refused: ${answer.message}`);
    if (name === 'claimBatches') claimed = answer as ClaimAnswer;
    if (changed > MOST_CHANGED) faults.push(`${what} changes ${changed} rows: ${most}`);
    if (LISTS.includes(name) && steps !== null && !steps.some((step) => OF_WORKSPACE.test(step)))
      faults.push(`${what} does not begin with its workspace: ${steps}`);
    if (isLongRead({ name, args } as CallRequest)) return;
    if (scanned !== null && scanned > (MAY_READ[name] ?? MOST_SCANNED))
      faults.push(`${what} reads ${scanned} rows: ${most}`);
    const whole = scans?.filter((step) => !MAY_SCAN[name]?.test(step)) ?? [];
    if (whole.length > 0) faults.push(`${what} reads all of something: ${whole}`);
  }

  for (const name of CALL_NAMES) {
    for (const given of asked[name]) await walk(name, typeof given === 'function' ? given(claimed) : given);
  }
  const database = databaseOf(world, engine.name);
  for (const { after, name, args } of scenes(world)) {
    await database.execute(after);
    await walk(name, args);
  }
  assert.equal(faults, []);
});

run();
