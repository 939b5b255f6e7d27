import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { publicIdOf } from '../../src/contract/public-id.ts';
import { type StoreClient, StoreUnavailable } from '../../src/store/calls.ts';
import type { Connections } from '../../src/store/postgres/connections.ts';
import { anEvent } from '../support/workspace.ts';

const POSTERS = 16;
const PAUSE_MS = 10;

type Accepts = Pick<StoreClient, 'acceptEvent'>;

/** Posts events without end, each with a key by which it is tried again until it is acknowledged. */
export class AcceptLoad {
  /** Public ids by key. */
  readonly acknowledged = new Map<string, string>();
  /** Answers that the store is unavailable. */
  refused = 0;
  readonly #workspaceId: number;
  readonly #posters: readonly Promise<void>[];
  #isStopping = false;
  #begun = 0;

  /** `nodes`: asked in turns. */
  constructor(nodes: readonly Accepts[], workspaceId: number) {
    this.#workspaceId = workspaceId;
    this.#posters = Array.from({ length: POSTERS }, (_, n) => this.#poster(nodes, n));
  }

  /** Begins no more events, and resolves once all are acknowledged. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#posters);
  }

  async #poster(nodes: readonly Accepts[], first: number): Promise<void> {
    for (let turn = first; !this.#isStopping; ) {
      const idempotencyKey = `key-${++this.#begun}`;
      while (!this.acknowledged.has(idempotencyKey)) {
        turn += 1;
        const node = nodes[turn % nodes.length];
        if (node) await this.#post(node, idempotencyKey);
      }
    }
  }

  async #post(node: Accepts, idempotencyKey: string): Promise<void> {
    try {
      const answer = await node.acceptEvent(anEvent(this.#workspaceId, { idempotencyKey }));
      if (answer.kind !== 'accepted' && answer.kind !== 'replayed') throw new Error(answer.kind);
      this.acknowledged.set(idempotencyKey, answer.event.public_id);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.refused += 1;
      await pause(PAUSE_MS);
    }
  }
}

/** The stored events are the acknowledged ones, each once, and counted so. */
export async function isExact(
  { acknowledged }: Pick<AcceptLoad, 'acknowledged'>,
  { connections, calls, workspaceId }: Stored,
): Promise<void> {
  const uuids = await connections.lend(({ sql }) =>
    sql.values<object, string>("SELECT encode(uuid, 'hex') FROM event WHERE idempotency_key IS NOT NULL")({}),
  );
  const stored = new Set(uuids.map(publicIdOf));
  const missing = [...acknowledged.values()].filter((publicId) => !stored.has(publicId));
  assert.is(missing.length, 0, `${missing.length} of ${acknowledged.size} acknowledged events are lost`);
  assert.is(stored.size, acknowledged.size, 'an event for each key');
  assert.is((await calls.readUsage({ workspaceId })).used, acknowledged.size, 'usage is exact');
}

interface Stored {
  readonly connections: Connections;
  readonly calls: Pick<StoreClient, 'readUsage'>;
  readonly workspaceId: number;
}
