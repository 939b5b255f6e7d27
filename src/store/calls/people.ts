/** What the app's and the dashboard's routes ask of the store, beside what operators may ask as well (calls.ts). */
import { type Level, type Role, type TokenKind, unreachable } from '../../push.ts';
import { type Change, call, change } from '../call.ts';
import type { Alert, Channel, Device, EventText, Member, Mute, NewDevice, Progress } from '../records.ts';
import type { Refusal } from '../refusal.ts';
import { isSearch, type PagePlace, type SearchFilter } from './serving.ts';

/**
 * A user, and where their session may act. `id` is for further calls, never shown. `waiting`: where they belong as well,
 * but this session is not vouched for.
 */
export interface Identity {
  readonly user: { readonly id: number; readonly email: string; readonly name: string };
  readonly memberships: readonly Membership[];
  readonly waiting: readonly Omit<Membership, 'workspaceId' | 'waitingFor'>[];
}
/** `role`: the one that the session has. `waitingFor`: the person's own, where that is a higher one; else null. */
export interface Membership {
  readonly workspaceId: number;
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly role: Role;
  readonly waitingFor: Role | null;
}
export interface SignedIn extends Identity {
  readonly expires_at: string;
}
export interface NewSession {
  /** SHA-256 of the token, hex; the token itself never comes here. */
  readonly tokenHash: string;
  readonly userAgent?: string;
  /** Whether a browser keeps the token: such a session is asked to confirm who it is. */
  readonly inBrowser?: boolean;
}
/** How far something is vouched for in a workspace, or in all of them (null): up to this role. */
export interface VouchedFor {
  readonly workspace: string | null;
  readonly role: Role;
}
/** `id` identifies a session of one person; it is no secret. */
export interface Session {
  readonly id: string;
  readonly user_agent: string | null;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string;
  /** Of the workspaces that its person belongs to. */
  readonly vouched_for: readonly VouchedFor[];
}
/** `current`: the one that asks. */
export interface OwnSession extends Session {
  readonly current: boolean;
}

/** `id` identifies a passkey of one person. `credential`: the id by which browsers know it, base64url. No secrets. */
export interface Passkey {
  readonly id: string;
  readonly credential: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}
/** What a passkey has signed, once the signature was verified. */
export interface PasskeyAnswer {
  /** SHA-256 of the credential's id, hex, as is the challenge's of that. */
  readonly passkeyId: string;
  readonly counter: number;
  readonly challengeHash: string;
  readonly challengeEndsMs: number;
}

/** With its subscriptions in all workspaces. */
export interface OwnDevice extends Omit<Device, 'channels' | 'mutes'> {
  readonly token_kind: TokenKind;
  readonly app_version: string | null;
  readonly subscriptions: readonly ({ readonly workspace: string; readonly channel: string } & Mute)[];
}
/**
 * `devices`: those of the person who asks that are subscribed, by public id; of many, those that were registered
 * first.
 */
export interface SubscribedChannel extends Channel {
  readonly devices: readonly string[];
}
/** What an own device becomes; what is absent stays. `environment`, `tokenKind` and `app` belong to a new `token`. */
export type DeviceChange = Omit<NewDevice, 'platform' | 'subscribe'>;
/** A device of the person who asks, and a channel of a workspace that this person belongs to. */
export interface OwnSubscription {
  readonly userId: number;
  readonly deviceId: string;
  readonly workspace: string;
  readonly channel: string;
}

/** `mutedUntil`: ISO 8601 with an offset, checked. */
export interface MuteRequest {
  readonly minLevel?: Level;
  readonly mutedUntil?: string;
}

/** A member whom an alert has reached. `name`: as other members see it. `at`: when a provider has accepted it last. */
export interface Notified {
  readonly name: string;
  readonly at: string;
}

export interface InboxEvent extends EventText {
  readonly unread: boolean;
}
/**
 * `events`: how many of a workspace are unread, of the channels that own devices are subscribed to; 1,000 at most.
 * `channels`: those that have such, by their slugs; 100 at most of each.
 */
export interface UnreadCount {
  readonly workspace: string;
  readonly events: number;
  readonly channels: readonly { readonly channel: string; readonly events: number }[];
}

/** By whom a person is called so. */
export interface LinkedIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly linked_at: string;
}
/**
 * What became of a sign-in by the provider; a code was made where it is `known` or `linked`. `unknown`: no email was
 * given to link by. `linked_already`: the member with this address is another person there.
 */
export interface IdentityPaired {
  readonly kind: 'known' | 'linked' | 'unknown' | 'not_member' | 'linked_already';
}

export interface OwnedDevice extends Device {
  readonly email: string;
}
/** `devices`: how many of theirs are active. */
export interface ListedMember extends Member {
  readonly devices: number;
}
/** `sessions`: those that may act in the workspace, the one that was used last first. */
export interface MemberInFull extends ListedMember {
  readonly joined_at: string;
  readonly last_seen_at: string | null;
  readonly sessions: readonly Pick<Session, 'user_agent' | 'created_at' | 'last_seen_at'>[];
}
export interface AuditEntry {
  readonly at: string;
  readonly actor: {
    readonly kind: 'operator' | 'user';
    /** An operator's account, a user's email; `pushctl` of what the server did by itself. */
    readonly name: string;
    /** null: on the server itself. */
    readonly address: string | null;
  };
  /** `key.revoke`: a command of the command line. */
  readonly action: string;
  /** null: it concerns no single workspace. */
  readonly workspace: string | null;
  readonly object: string;
}

/** `actor`: an exact name. `action`: one such as `key.revoke`, or all of a noun, `key`. */
export interface AuditFilter {
  readonly workspace?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly sinceMs?: number;
  readonly limit: number;
  readonly before?: string;
}

export const PEOPLE_CALLS = {
  // Signing in and out
  /**
   * What a sign-in is checked against. `password` as it is stored; null: this person signs in by pairing codes only.
   */
  findUser: call<{ email: string }, { userId: number; password: string | null } | null>({
    reads: true,
    internal: true,
  }),
  /** `password`: the stored one that was verified; null is answered where it has been changed meanwhile. */
  openSession: call<NewSession & { userId: number; password: string }, SignedIn | null>({
    internal: true,
    own: 'sessions',
  }),
  /** Spends the code, and opens a session if it was still good. */
  redeemPairingCode: call<NewSession & { codeHash: string }, SignedIn | null>({ internal: true, own: 'sessions' }),
  /** Opens a session by what a passkey has signed. null: its challenge was used or is too old, or its counter went back. */
  openByPasskey: call<NewSession & { answer: PasskeyAnswer }, SignedIn | null>({ internal: true, own: 'sessions' }),
  /** What a signature of a passkey is verified by. `publicKey`: COSE, base64url. `passkeyId`: as in `PasskeyAnswer`. */
  findPasskey: call<{ passkeyId: string }, { userId: number; publicKey: string; counter: number; rpId: string } | null>(
    { reads: true, internal: true },
  ),
  /** A new one of the person in this session, vouched for like it. */
  addPasskey: call<
    PasskeyAnswer & {
      userId: number;
      tokenHash: string;
      credential: string;
      publicKey: string;
      rpId: string;
      name: string;
    },
    Passkey | Refusal
  >({ internal: true, own: 'sessions', audit: (_, { name }) => change('member.passkey-add', null, `"${name}"`) }),
  /** One's own: those that give nothing which the session that asks lacks. */
  listPasskeys: call<{ userId: number; tokenHash: string }, readonly Passkey[]>({ reads: true, internal: true }),
  removePasskey: call<{ userId: number; tokenHash: string; id: string }, Passkey | Refusal>({
    internal: true,
    own: 'sessions',
    audit: (_, { name }) => change('member.passkey-remove', null, `"${name}"`),
  }),
  /** What a code of the same person is vouched for, the session is from now on as well. null: the code is not good. */
  addVouchers: call<{ tokenHash: string; userId: number; codeHash: string }, true | null>({
    internal: true,
    invalidates: ['sessions'],
    own: 'sessions',
  }),
  /**
   * `stale`: it was not touched for a while, so `touchSession` is due. `confirmed`: the person has proved within ten
   * minutes who they are, or is never asked.
   */
  findSession: call<{ tokenHash: string }, (SignedIn & { stale: boolean; confirmed: boolean }) | null>({
    reads: true,
    internal: true,
  }),
  /**
   * The person has proved again who they are. `password` as for `openSession`; a code of theirs is spent. That and a
   * passkey must be vouched for all that the session may do. null: it was not good.
   */
  confirmSession: call<
    { tokenHash: string; userId: number } & ({ password: string } | { codeHash: string } | { answer: PasskeyAnswer }),
    true | null
  >({ internal: true }),
  /** The session is in use: its end moves on. */
  touchSession: call<{ tokenHash: string }, null>({ internal: true }),
  /**
   * Sessions that were opened while they lived longer end as those of now, some at a time: how many were shortened by
   * this call.
   */
  shortenSessions: call<Record<never, never>, number>({ internal: true, isStep: true }),
  closeSession: call<{ tokenHash: string }, null>({ internal: true, own: 'sessions' }),
  listSessions: call<{ email: string }, readonly Session[] | Refusal>({ reads: true }),
  /**
   * One of a person's sessions, or all together with a pairing code that is not used yet. With `workspace` only for its
   * members. The person is signed out of all their workspaces: so a manager must be one in each of them. Of one's own,
   * only those that have no right which the session that asks lacks.
   */
  closeSessions: call<{ email: string; id?: string; workspace?: string }, { email: string; closed: number } | Refusal>({
    invalidates: ['sessions'],
    own: 'sessions',
    audit: ({ workspace = null }, { email, closed }) =>
      change('member.sign-out', workspace, `${email}: ${sessions(closed)}`),
  }),
  /**
   * One's own, the newest first: those that have no right which the session that asks lacks. `tokenHash`: of that one,
   * which is the `current` one.
   */
  listOwnSessions: call<{ userId: number; tokenHash: string }, readonly OwnSession[]>({ reads: true, internal: true }),
  /**
   * One's own: ends all other sessions that have no right beyond the new password's. That is vouched for like the
   * session, and like the old one. `current`: the stored password that was verified; null: there was none.
   */
  changePassword: call<
    { userId: number; tokenHash: string; current: string | null; password: string },
    { email: string; closed: number } | Refusal
  >({
    internal: true,
    invalidates: ['sessions'],
    own: 'sessions',
    audit: (_, { email }) => change('member.password', null, email),
  }),
  /** A person's, by an operator: ends all sessions and voids the pairing code. */
  setPassword: call<{ email: string; password: string }, { email: string; closed: number } | Refusal>({
    invalidates: ['sessions'],
    own: 'sessions',
    audit: (_, { email }) => change('member.password', null, email),
  }),

  // Who people are at the operator's provider of sign-ins
  /**
   * A pairing code for who has this identity, vouched for everything, as the operator has said whom to believe. `email`:
   * one that the provider vouches for, by which an identity that is not known yet is linked to a member; null: it is
   * looked for alone. `isProof`: the person has shown themselves to the provider just now.
   */
  pairByIdentity: call<
    {
      issuer: string;
      subject: string;
      email: string | null;
      codeHash: string;
      lifeMs: number;
      isProof: boolean;
    },
    IdentityPaired
  >({ internal: true, audit: ({ email }, { kind }) => linkChange(kind, email ?? '') }),
  listIdentities: call<{ email: string }, readonly LinkedIdentity[] | Refusal>({ reads: true }),
  /** Also ends all sessions and voids the pairing codes: they may be another person's. */
  unlinkIdentities: call<{ email: string }, { email: string; unlinked: number; closed: number } | Refusal>({
    invalidates: ['sessions'],
    own: 'sessions',
    audit: (_, { email }) => change('member.unlink', null, email),
  }),

  // One's own devices; those of others are not there
  /**
   * Refused beyond the setting limits.devices, which imports and operators may exceed. `replaces`: the endpoint that a
   * browser had before. The person's device there gets the new address, and keeps its name and subscriptions; where
   * there is none, it counts as left out.
   */
  registerDevice: call<
    Omit<NewDevice, 'subscribe'> & { userId: number; replaces?: string },
    { device: OwnDevice; created: boolean } | Refusal
  >({ mayEnd: true, internal: true, own: 'devices' }),
  /** In the order of their first registration. `after`: the `next` of the page before. */
  listOwnDevices: call<
    { userId: number; limit: number; after?: string },
    { devices: readonly OwnDevice[]; next: string | null } | Refusal
  >({ reads: true, internal: true }),
  updateDevice: call<DeviceChange & { userId: number; id: string }, OwnDevice | Refusal>({
    mayEnd: true,
    internal: true,
    own: 'devices',
  }),
  /** With what is muted from now on; what is absent is not. */
  subscribe: call<OwnSubscription & MuteRequest, null | Refusal>({ internal: true, own: 'devices' }),
  unsubscribe: call<OwnSubscription, null | Refusal>({ mayEnd: true, internal: true, own: 'devices' }),
  /** In the order of their slugs; a page ends where it holds much. `after`: the `next` of the page before. */
  listChannelsFor: call<
    { userId: number; workspace: string; after?: string },
    { channels: readonly SubscribedChannel[]; next: string | null } | Refusal
  >({ reads: true, internal: true }),

  // One's own inbox
  /**
   * The events of the channels that any of the person's devices is subscribed to, newest first, or with `after` oldest
   * first, also those from before it was. `before` and `after`: the `next` of the page before; what arrives meanwhile moves nothing. A search looks at a bounded
   * number of events: its page may hold fewer than there are, even none, and `next` leads on. `ofWorkspace`: one that
   * the person belongs to, with whose questions a search takes turns.
   */
  listInbox: call<
    SearchFilter & { userId: number; workspace?: string; unread?: boolean; ofWorkspace?: string },
    (PagePlace & { events: readonly InboxEvent[]; unread: readonly UnreadCount[] }) | Refusal
  >({ reads: true, events: 'lists', internal: true, offThread: isSearch }),
  /**
   * This event and all before it are read, on all of the person's devices: of this channel and level, where they are
   * named. Never takes back what was read. `upTo`: a public id; one that was deleted meanwhile stands for its place in
   * time.
   */
  markInboxRead: call<
    { userId: number; workspace: string; upTo: string; channel?: string; level?: Level },
    null | Refusal
  >({ internal: true, events: 'lists', own: 'read' }),
  /**
   * These events alone, by their public ids, 100 at most. Those that are not kept any more, or that the person may not
   * see, are passed over.
   */
  markEventsRead: call<{ userId: number; events: readonly string[] }, null>({
    internal: true,
    events: 'lists',
    own: 'read',
  }),
  markEventsUnread: call<{ userId: number; events: readonly string[] }, null | Refusal>({
    internal: true,
    own: 'read',
  }),
  /** Any event of a workspace that the person belongs to: one that was pushed can be read after unsubscribing, too. */
  readInboxEvent: call<
    { userId: number; publicId: string },
    ({ event: EventText; alert: Alert | null; notified: readonly Notified[] } & Omit<Progress, 'send_at'>) | Refusal
  >({
    reads: true,
    internal: true,
  }),

  // The dashboard, beside the calls that operators use
  /**
   * In the order of their addresses. `q`: what the name or address holds. `hasDevice`: whether they have one that is
   * active. `after`: the `next` of the page before.
   */
  findMembers: call<
    { workspace: string; q?: string; role?: Role; hasDevice?: boolean; limit: number; after?: string },
    { members: readonly ListedMember[]; next: string | null } | Refusal
  >({ reads: true, internal: true }),
  showMember: call<{ workspace: string; email: string }, MemberInFull | Refusal>({ reads: true, internal: true }),
  /** The newest first. `before`: the `next` of the page before. Looks at a bounded number of entries, as a search does. */
  listAudit: call<AuditFilter, { entries: readonly AuditEntry[]; next: string | null } | Refusal>({ reads: true }),
};

/** Of a sign-in by the provider: that it linked a member, or was refused. `email`: what the provider vouches for. */
function linkChange(kind: IdentityPaired['kind'], email: string): Change | null {
  switch (kind) {
    case 'known':
    case 'unknown':
      return null;
    case 'linked':
      return change('member.link', null, email);
    case 'not_member':
      return change('member.link-refused', null, `${email}: not a member`);
    case 'linked_already':
      return change('member.link-refused', null, `${email}: linked to another identity`);
    default:
      return unreachable(kind);
  }
}

function sessions(count: number): string {
  return `${count} ${count === 1 ? 'session' : 'sessions'}`;
}
