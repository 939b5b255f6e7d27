import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { type Change, nameOf } from '../../changes/changes.ts';
import type { Membership, SignedIn } from '../../store/calls/sessions.ts';

/** Unread bytes that end the stream; the client returns and reloads everything. */
const MAX_UNREAD_BYTES = 65_536;

export type Out = Pick<ServerResponse, 'write' | 'end' | 'destroy' | 'destroyed' | 'writableEnded' | 'writableLength'>;

type Rights = Pick<SignedIn, 'user' | 'memberships' | 'waiting'>;

export interface Owner extends Rights {
  readonly tokenHash: string;
}

/** An open response of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export class Stream {
  readonly tokenHash: string;
  #out: Out | null = null;
  #isEnded = false;
  #owner: Owner;

  constructor({ tokenHash, user, memberships, waiting }: Owner) {
    this.tokenHash = tokenHash;
    this.#owner = { tokenHash, user, memberships, waiting };
  }

  /** Starts, or ends a stream that should have ended meanwhile. */
  open(out: Out): void {
    this.#out = out;
    if (this.#isEnded) out.end();
  }

  get userId(): number {
    return this.#owner.user.id;
  }

  /** Ids of the workspaces of its person. */
  get workspaceIds(): readonly number[] {
    return this.#owner.memberships.map(({ workspaceId }) => workspaceId);
  }

  /** Takes over the session's current rights. Returns whether they changed. */
  refresh({ user, memberships, waiting }: Rights): boolean {
    const before = this.#owner;
    this.#owner = { tokenHash: this.tokenHash, user, memberships, waiting };
    return !isDeepStrictEqual(before, this.#owner);
  }

  /** Returns a change as an event; empty if this person may not know it. */
  eventsOf({ kind, audience, of }: Change, id: string): string {
    if (audience === 'person') return of === null || of === this.#owner.user.email ? event(id, null, kind) : '';
    const isMeant = ({ slug, workspaceId }: Membership): boolean =>
      of === null || (typeof of === 'string' ? of === slug : of.id === workspaceId);
    const canKnow = (place: Membership): boolean =>
      isMeant(place) && (audience === 'members' || place.role !== 'member');
    const place = this.#owner.memberships.find(canKnow);
    return place === undefined ? '' : event(id, of === null ? null : place.slug, kind);
  }

  /** Writes to the stream. Cuts off clients that do not read. */
  write(text: string): void {
    const out = this.#out;
    if (out === null || text === '' || out.destroyed || out.writableEnded) return;
    if (out.writableLength > MAX_UNREAD_BYTES) out.destroy();
    else out.write(text);
  }

  end(): void {
    this.#isEnded = true;
    this.#out?.end();
  }
}

function event(id: string, workspace: string | null, kind: Change['kind']): string {
  return `id: ${id}\nevent: change\ndata: ${JSON.stringify({ workspace, kind })}\n\n`;
}

/** Streams without a workspace share a count. */
const NONE = [0];

type Share = Pick<Stream, 'workspaceIds' | 'userId'>;

/**
 * Returns the stream to displace for one more of a person in these workspaces; null: none, as they have no fewer than
 * others.
 *
 * Chooses the longest open stream of the busiest person in the busiest workspace. A person in several workspaces counts
 * in each, but weighs as in the emptiest. `open`: in order of opening.
 */
export function displacedBy<S extends Share>(workspaceIds: readonly number[], open: readonly S[]): S | null {
  const inWorkspace = countsOf(open.flatMap(placesOf));
  const ofPerson = countsOf(open.map(({ userId }) => userId));
  const weightOf = (places: readonly number[]): number => Math.min(...places.map((id) => inWorkspace.get(id) ?? 0));
  const heaviest = open.reduce<{ stream: S; weight: number; own: number } | null>((most, stream) => {
    const weight = weightOf(placesOf(stream));
    const own = ofPerson.get(stream.userId) ?? 0;
    return most === null || weight > most.weight || (weight === most.weight && own > most.own)
      ? { stream, weight, own }
      : most;
  }, null);
  if (heaviest === null) return null;
  const mine = weightOf(workspaceIds.length === 0 ? NONE : workspaceIds);
  return mine + 1 < heaviest.weight ? heaviest.stream : null;
}

function placesOf({ workspaceIds }: Share): readonly number[] {
  return workspaceIds.length === 0 ? NONE : workspaceIds;
}

function countsOf(ids: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Remembered changes, distinct by kind and subject. */
const MAX_CHANGES = 10_000;

export type Numbered = readonly [change: Change, number: number];

/** Microseconds since 1970, by a clock never set. */
const steadyUs = (): number => Math.floor(1_000 * (performance.timeOrigin + performance.now()));

/**
 * Numbers all changes, so a returning client gets exactly what it missed. A new history begins with the first client
 * after none. Numbers are times: counts would reveal other workspaces' activity.
 */
export class History {
  readonly #nowUs: () => number;
  readonly #run = randomBytes(6).toString('hex');
  readonly #changes = new Map<string, Numbered>();
  #number = 0;
  #forgottenUpTo = 0;

  constructor(nowUs = steadyUs) {
    this.#nowUs = nowUs;
  }

  add(change: Change): Numbered {
    this.#number = Math.max(this.#number + 1, this.#nowUs());
    const name = nameOf(change);
    const numbered: Numbered = [change, this.#number];
    this.#changes.delete(name); // A Map keeps the order of insertion: the latest last.
    this.#changes.set(name, numbered);
    if (this.#changes.size > MAX_CHANGES) this.#forgetFirst();
    return numbered;
  }

  /** Returns an event's id, by default for one sent now. */
  id(number = this.#now()): string {
    return `${this.#run}-${number}`;
  }

  /** Returns the items after an event's id; null: unknown. */
  since(id: string | undefined): readonly Numbered[] | null {
    const [, run, digits] = /^([0-9a-f]+)-(\d{1,16})$/.exec(id ?? '') ?? [];
    const from = Number(digits);
    if (run !== this.#run || from < this.#forgottenUpTo || from > this.#number) return null;
    return [...this.#changes.values()].filter(([, number]) => number > from);
  }

  /** Later changes have higher numbers. */
  #now(): number {
    this.#number = Math.max(this.#number, this.#nowUs());
    return this.#number;
  }

  #forgetFirst(): void {
    const [first] = this.#changes;
    if (first === undefined) return;
    const [name, [, number]] = first;
    this.#changes.delete(name);
    this.#forgottenUpTo = number;
  }
}
