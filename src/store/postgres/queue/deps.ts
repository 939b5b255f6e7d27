import type { Moment } from '../../../clock.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Connection, Connections } from '../connections.ts';
import { isCollision } from '../errors.ts';
import type { HeldClaims } from './held-claims.ts';

/** Shared by the calls of the queue. */
export interface QueueDeps {
  readonly connections: Connections;
  readonly settings: StoreSettings;
  readonly node: number;
  readonly held: HeldClaims;
  /** Undefined: the database's time counts. */
  readonly now: () => Moment | undefined;
}

/** Of transactions that have met: how often one is begun. */
const MOST_TRIES = 5;

/** A statement is a transaction of its own; one that has met another's is begun again. */
export async function untilUncrossed<T>(
  { connections }: Pick<QueueDeps, 'connections'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await connections.lend(work);
    } catch (error) {
      if (!isCollision(error) || tries === MOST_TRIES) throw error;
    }
  }
}
