import type { KeyRecord } from '../../store/calls.ts';
import { type ApiError, overloaded } from '../errors.ts';
import type { ProvenClients } from './proven-clients.ts';

/** The shares that a body counts against, the widest first: workspace and key, or strangers and network. */
export type BodyOwner = readonly string[];

/** The memory for a body's record and connection, also of an empty body. */
const OVERHEAD_BYTES = 1_024;

const STRANGERS = 'strangers';
const UNPROVEN = 'unproven networks';

export function keyOwner({ id, workspaceId }: Pick<KeyRecord, 'id' | 'workspaceId'>): BodyOwner {
  return [`workspace ${workspaceId}`, `key ${id}`];
}

/** `workspaceId`: one of the person's; undefined: none. */
export function personOwner(userId: number, workspaceId: number | undefined): BodyOwner {
  return [`workspace ${workspaceId ?? 'none'}`, `person ${userId}`];
}

/**
 * Limits the memory for bodies in the process, from their first byte until the response. If a share or the whole is
 * full, the oldest unfinished body of the fullest share gives way.
 */
export class BodyBudget {
  readonly #whole: Share;
  readonly #proven: Pick<ProvenClients, 'hasNetwork'>;

  constructor(totalBytes: number, proven: Pick<ProvenClients, 'hasNetwork'>) {
    this.#proven = proven;
    this.#whole = new Share('', null, totalBytes);
  }

  get bytes(): number {
    return this.#whole.bytes;
  }

  get shares(): number {
    return this.#whole.width - 1;
  }

  /** Begins a body. `giveWay`: called to make room. Throws `overloaded`. */
  open(owner: BodyOwner, giveWay: (reason: ApiError) => void): HeldBody {
    const share = owner.reduce<Share>((wider, name) => wider.child(name, this.#most(wider, name)), this.#whole);
    const body = new HeldBody(share, giveWay);
    body.take(OVERHEAD_BYTES);
    return body;
  }

  /** Returns the owner before key or session are known. `networks`: widest first. */
  strangerOwner(networks: readonly string[]): BodyOwner {
    const isProven = this.#proven.hasNetwork(networks.at(-1) ?? '');
    return [STRANGERS, isProven ? 'proven networks' : UNPROVEN, ...networks];
  }

  /**
   * A workspace has half, one person or key a quarter. All strangers together have a quarter, half of it without a
   * proof.
   */
  #most({ name, parent }: Share, own: string): number {
    const total = this.#whole.mostBytes;
    if (parent === null) return own === STRANGERS ? total / 4 : total / 2;
    if (parent !== this.#whole) return total;
    if (name === STRANGERS) return own === UNPROVEN ? total / 8 : total / 4;
    return total / 4;
  }
}

export class HeldBody {
  readonly #share: Share;
  readonly #giveWay: (reason: ApiError) => void;
  #bytes = 0;
  #isReleased = false;

  constructor(share: Share, giveWay: (reason: ApiError) => void) {
    this.#share = share;
    this.#giveWay = giveWay;
    share.enter(this);
  }

  /** Counts bytes before they are held. Throws `overloaded`, then counts nothing. */
  take(bytes: number): void {
    if (this.#isReleased) throw overloaded();
    this.#bytes += bytes;
    this.#share.add(bytes);
    for (let full = this.#share.overfull(); full !== null; full = this.#share.overfull()) {
      const leaving = full.nextToLeave() ?? this;
      leaving.release();
      if (leaving === this) throw overloaded();
      leaving.#giveWay(overloaded());
    }
  }

  giveBack(bytes: number): void {
    if (this.#isReleased) return;
    this.#bytes -= bytes;
    this.#share.add(-bytes);
  }

  /** Keeps a complete body from giving way. */
  finish(): void {
    this.#share.leave(this);
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#share.leave(this);
    this.#share.add(-this.#bytes);
  }
}

/** A part of the budget. Only the innermost shares have bodies. */
class Share {
  readonly name: string;
  readonly parent: Share | null;
  readonly mostBytes: number;
  bytes = 0;
  readonly #children = new Map<string, Share>();
  /** In order of their beginning. */
  readonly #unfinished = new Set<HeldBody>();
  /** Also of the shares in it. */
  #unfinishedCount = 0;

  constructor(name: string, parent: Share | null, mostBytes: number) {
    this.name = name;
    this.parent = parent;
    this.mostBytes = mostBytes;
  }

  child(name: string, mostBytes: number): Share {
    const known = this.#children.get(name);
    if (known !== undefined) return known;
    const child = new Share(name, this, mostBytes);
    this.#children.set(name, child);
    return child;
  }

  /** Counts this share and all in it. */
  get width(): number {
    return [...this.#children.values()].reduce((sum, child) => sum + child.width, 1);
  }

  enter(body: HeldBody): void {
    this.#unfinished.add(body);
    this.#count(1);
  }

  leave(body: HeldBody): void {
    if (this.#unfinished.delete(body)) this.#count(-1);
  }

  /** Counts here and in wider shares. Forgets empty ones. */
  add(bytes: number): void {
    this.bytes += bytes;
    this.parent?.add(bytes);
    if (this.bytes === 0 && this.parent !== null) this.parent.#children.delete(this.name);
  }

  overfull(): Share | null {
    return this.bytes > this.mostBytes ? this : (this.parent?.overfull() ?? null);
  }

  /** Returns the oldest unfinished body of the fullest inner share that has one. */
  nextToLeave(): HeldBody | undefined {
    let fullest: Share | undefined;
    for (const child of this.#children.values()) {
      if (child.#unfinishedCount > 0 && child.bytes > (fullest?.bytes ?? 0)) fullest = child;
    }
    return fullest === undefined ? this.#unfinished.values().next().value : fullest.nextToLeave();
  }

  #count(by: number): void {
    this.#unfinishedCount += by;
    if (this.parent !== null) this.parent.#count(by);
  }
}
