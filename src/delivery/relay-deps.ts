import type { Logger } from 'pino';
import type { After, Clock, Lease } from '../process/clock.ts';
import type { Batch, Sent } from '../push.ts';
import type { Claim, StoreClient } from '../store/calls.ts';
import type { LinkMemory } from './link-memory.ts';
import type { OpenClaims } from './open-claims.ts';
import type { RetryPolicy } from './retry.ts';

export interface RelayDeps {
  readonly store: Pick<StoreClient, 'claimBatches' | 'settleBatch' | 'releaseBatch' | 'expireOverdue'>;
  /** See pool.ts. */
  readonly pool: { send(batch: Batch, onEarly: (answers: readonly Sent[]) => void): Promise<readonly Sent[]> };
  /** Gets the ends that the store reports. */
  readonly openClaims: OpenClaims;
  readonly links: LinkMemory;
  readonly clock: Clock;
  /** The lease of claims; absent: no other node takes them over. */
  readonly lease?: Lease | undefined;
  readonly policy: RetryPolicy;
  readonly threads: number;
  readonly log: Logger;
  /** Whether to request reports of shown pushes. */
  readonly receipts: boolean;
  readonly random: () => number;
  readonly after: After;
  /** Whether the process is stopping: unsettled pushes are left to the next start. */
  readonly isStopping: () => boolean;
  /** Called with outcomes of a batch or part, before settling. */
  readonly onSent?: (claim: Claim, answers: readonly Sent[]) => void;
  /** Called after outcomes are settled. `gone`: ids of devices now inactive, or registered again. */
  readonly onSettled?: (claim: Claim, gone: readonly number[]) => void;
}
