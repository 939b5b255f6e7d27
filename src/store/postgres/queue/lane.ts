import { type Clock, momentOf } from '../../../clock.ts';
import { CALLS, type CallName } from '../../calls.ts';
import type { CallRequest, Reply } from '../../carriers/reply.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Connections } from '../connections.ts';
import { errorReply } from '../errors.ts';
import { claiming } from './claiming.ts';
import type { QueueDeps } from './deps.ts';
import { HeldClaims } from './held-claims.ts';
import { resume } from './resuming.ts';
import { settling } from './settling.ts';
import { sweeping } from './sweeping.ts';

/** Beside the committer: the queue waits for no control change. Each of its calls is a transaction of its own. */
export interface QueueLane {
  takes(call: CallRequest): boolean;
  answer(call: CallRequest): Promise<Reply>;
}

export interface QueueLaneSettings {
  readonly settings: StoreSettings;
  readonly node: number;
  /** Instead of the database's. */
  readonly clock?: Clock | undefined;
}

type Work = (args: never) => Promise<unknown>;

/** The first call of a relay takes up the queue. */
export function queueLane(connections: Connections, { settings, node, clock }: QueueLaneSettings): QueueLane {
  const deps: QueueDeps = {
    connections,
    settings,
    node,
    held: new HeldClaims(),
    now: () => clock && momentOf(clock),
  };
  const claim = claiming(deps);
  const sweep = sweeping(deps);
  const { settleBatch, releaseBatch } = settling(deps);
  let resumed: Promise<void> | undefined;

  async function whenResumed(): Promise<void> {
    resumed ??= resume(deps);
    await resumed.catch((error) => {
      resumed = undefined;
      throw error;
    });
  }

  const calls: Partial<Record<CallName, Work>> = {
    claimBatches: async (args) => {
      await whenResumed();
      return claim(args);
    },
    expireOverdue: async () => {
      await whenResumed();
      return sweep();
    },
    settleBatch,
    releaseBatch,
  };

  return {
    takes: ({ name }) => CALLS[name].carriesOut === true && name in calls,

    async answer({ name, args }) {
      try {
        const work = calls[name] as (args: unknown) => Promise<unknown>;
        return { kind: 'answer', answer: await work(args) };
      } catch (error) {
        return errorReply(error);
      }
    },
  };
}
