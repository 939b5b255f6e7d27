import { isJsonObject } from '../../json.ts';
import type { Others } from '../../store/serving-store.ts';
import { ChangeSource, type ChangeSourceOptions } from './change-source.ts';
import { AUDIENCES, type Change, KINDS, type Subject } from './changes.ts';
import { nameOf } from './history.ts';

/** At most so often the others are told, as a notice takes a lock for which all commits of the cluster wait. */
const TELL_EVERY_MS = 100;
/** Of a notice, which must not be larger than 4 KB. */
const MAX_BYTES = 4_000;
/** The name of these notices. */
const NOTICE = 'changes';
/** Beyond it they are told as changes of any workspace, which takes fewer notices than to name all. */
const MAX_CHANGES = 200;

/** A change on its way: it may come from another version. */
type Told = readonly [kind: unknown, audience: unknown, of: unknown];

/**
 * Tells the other servers of the changes that calls of this one have made, gathered, and hears of theirs. Costs nothing
 * while there are no others.
 */
export class ClusterChanges {
  readonly #others: Others;
  readonly #source: ChangeSource;
  readonly #changes = new Map<string, Change>();
  #timer: NodeJS.Timeout | undefined;

  /** `changed`: elsewhere. */
  constructor(store: ChangeSourceOptions['store'], others: Others, changed: (change: Change) => void) {
    this.#others = others;
    // A session that was signed out is seen by each server itself.
    this.#source = new ChangeSource({ store }, { changed: (change) => this.#note(change), signedOut: () => {} });
    others.onTold(NOTICE, (payload) => {
      for (const change of changesIn(payload)) changed(change);
    });
    others.onLiving((count) => this.#listenWhile(count > 1));
  }

  /** Pushes of these events were settled here. */
  settled(events: readonly { readonly workspaceId: number }[]): void {
    this.#source.settled(events);
  }

  #listenWhile(hasOthers: boolean): void {
    if (hasOthers === this.#source.isListening) return;
    if (hasOthers) this.#source.listen();
    else this.#source.stop();
  }

  #note(change: Change): void {
    this.#changes.set(nameOf(change), change);
    this.#timer ??= setTimeout(() => this.#tell(), TELL_EVERY_MS).unref();
  }

  #tell(): void {
    this.#timer = undefined;
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    for (const payload of payloadsOf(changes.length > MAX_CHANGES ? ofAny(changes) : changes)) {
      this.#others.tell(NOTICE, payload);
    }
  }
}

function ofAny(changes: readonly Change[]): readonly Change[] {
  const shown = changes.map(({ kind, audience }): Change => ({ kind, audience, of: null }));
  return [...new Map(shown.map((change) => [nameOf(change), change])).values()];
}

function payloadsOf(changes: readonly Change[]): readonly string[] {
  const payloads: string[] = [];
  for (const { kind, audience, of } of changes) {
    const told = JSON.stringify([kind, audience, of] satisfies Told);
    const last = payloads.at(-1);
    const fits = last !== undefined && Buffer.byteLength(last) + Buffer.byteLength(told) < MAX_BYTES;
    if (fits) payloads[payloads.length - 1] = `${last.slice(0, -1)},${told}]`;
    else payloads.push(`[${told}]`);
  }
  return payloads;
}

/** Those that this version knows. */
function changesIn(payload: string): readonly Change[] {
  const told = parsed(payload);
  return Array.isArray(told) ? told.flatMap((one) => (Array.isArray(one) ? changeOf(one as unknown as Told) : [])) : [];
}

/** Undefined: it is not JSON. */
function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}

function changeOf([kind, audience, of]: Told): readonly Change[] {
  const isKnown = KINDS.includes(kind as Change['kind']) && AUDIENCES.includes(audience as Change['audience']);
  return isKnown && isSubject(of) ? [{ kind, audience, of } as Change] : [];
}

function isSubject(of: unknown): of is Subject {
  return of === null || typeof of === 'string' || (isJsonObject(of) && typeof of.id === 'number');
}
