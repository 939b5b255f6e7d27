import type { Moment } from '../../../clock.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Connection, Connections } from '../connections.ts';
import { untilUncrossed } from '../errors.ts';
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

/** A statement is a transaction of its own; one that has met another's is begun again. */
export function lendUncrossed<T>(
  { connections }: Pick<QueueDeps, 'connections'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return untilUncrossed(() => connections.lend(work));
}
