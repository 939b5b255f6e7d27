import { type Clock, momentOf } from '../../../process/clock.ts';
import type { ArgsOf, CallName } from '../../calls.ts';
import { sweeping } from '../../queue/sweep.ts';
import type { Reply } from '../../reply.ts';
import type { StoreSettings } from '../../settings.ts';
import type { OnTrouble } from '../../upkeep.ts';
import type { CallPath } from '../call-path.ts';
import type { Connections } from '../connections.ts';
import { errorReply } from '../errors.ts';
import { isEvicted, type Membership } from '../nodes/leases.ts';
import { claiming } from './claiming.ts';
import type { QueueDeps } from './deps.ts';
import { HeldClaims } from './held-claims.ts';
import { resume, shortenWaits } from './resuming.ts';
import { settling } from './settling.ts';
import { sweepSteps } from './sweeping.ts';
import { tending } from './tending.ts';

export interface QueuePathSettings {
  readonly settings: StoreSettings;
  readonly membership: Membership;
  readonly onTrouble?: OnTrouble | undefined;
  /** Replaces the database's clock. */
  readonly clock?: Clock | undefined;
}

const CALLS_OF_THE_QUEUE: ReadonlySet<CallName> = new Set([
  'claimBatches',
  'settleBatch',
  'releaseBatch',
  'expireOverdue',
]);

/**
 * Answers the queue's calls, each in its own transaction, without awaiting the committer. A relay's first call resumes
 * the queue.
 */
export function queuePath(
  connections: Connections,
  { settings, membership, clock, onTrouble }: QueuePathSettings,
): CallPath {
  const deps: QueueDeps = {
    connections,
    settings,
    get node() {
      return membership.node;
    },
    held: new HeldClaims(),
    now: () => clock && momentOf(clock),
  };
  const { claimBatches: claim, releaseUnheld } = claiming(deps);
  const sweep = sweeping(sweepSteps(deps));
  const { settleBatch, releaseBatch } = settling(deps);
  const tend = tending(deps.connections, { onTrouble });
  let resumed: Promise<void> | undefined;

  async function whenResumed(): Promise<void> {
    resumed ??= resume(deps);
    await resumed.catch((error) => {
      resumed = undefined;
      throw error;
    });
  }

  membership.onAnew(() => deps.held.clear());
  membership.onClockBack(() => shortenWaits(deps));

  /** Claims with a trusted lease: pushes may be sent at once. */
  async function claimAsLiving(args: ArgsOf<'claimBatches'>): Promise<Reply> {
    if (membership.lease.isOver) await membership.beat();
    try {
      return { kind: 'answer', answer: await claim(args) };
    } catch (error) {
      if (!isEvicted(error)) throw error;
      await membership.beat();
      return { kind: 'answer', answer: await claim(args) };
    }
  }

  async function answerTo(name: CallName, args: unknown): Promise<Reply> {
    switch (name) {
      case 'claimBatches':
        await whenResumed();
        void tend();
        return claimAsLiving(args as ArgsOf<'claimBatches'>);
      case 'expireOverdue':
        await whenResumed();
        void tend();
        await releaseUnheld();
        return { kind: 'answer', answer: await sweep(args as ArgsOf<'expireOverdue'>) };
      case 'settleBatch':
        return { kind: 'answer', answer: await settleBatch(args as ArgsOf<'settleBatch'>) };
      case 'releaseBatch':
        return { kind: 'answer', answer: await releaseBatch(args as ArgsOf<'releaseBatch'>) };
      default:
        throw new Error(`${name} is no call of the queue`);
    }
  }

  return {
    canTake: ({ name }) => CALLS_OF_THE_QUEUE.has(name),
    answer: ({ name, args }) => answerTo(name, args).catch(errorReply),
  };
}
