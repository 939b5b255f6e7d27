/** The store thread: the only writer. Commits one group of calls at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../process/clock.ts';
import { type ExitCode, OperatorProblem } from '../../process/problem.ts';
import { collectGarbageOfStart } from '../../process/threads.ts';
import { unreachable } from '../../push.ts';
import type { Topic } from '../call.ts';
import { type CallRequest, type Reply, touchedBy } from '../reply.ts';
import { type OwnedStore, ownStore, type StoreOptions } from '../sqlite/engine.ts';
import type { LogState } from '../sqlite/files/checkpoints.ts';
import { type FileChange, Guard } from '../sqlite/files/guard.ts';

export interface ThreadData extends StoreOptions {
  /** The owner's steady clock anchor (clock.ts). */
  readonly anchorMs: number;
}

export type ToThread =
  | { readonly kind: 'group'; readonly calls: readonly CallRequest[] }
  /** Asks for the write-ahead log's state. `shouldFinish`: after checkpointing its rest. */
  | { readonly kind: 'log'; readonly shouldFinish: boolean }
  /** Every page was checked, and is whole. */
  | { readonly kind: 'whole' }
  | { readonly kind: 'close' };

export type FromThread =
  | ({ readonly kind: 'open' } & Opening)
  /** An `OperatorProblem`, which cannot cross threads. The thread ends. */
  | { readonly kind: 'problem'; readonly message: string; readonly exitCode: ExitCode }
  | {
      readonly kind: 'replies';
      readonly replies: readonly Reply[];
      readonly touched: readonly Topic[];
      readonly log: LogState;
      readonly tookMs: number;
    }
  | { readonly kind: 'log'; readonly log: LogState; readonly tookMs: number }
  | { readonly kind: 'files'; readonly change: FileChange }
  | { readonly kind: 'closed' };

/** Results of opening the store. */
export type Opening = Pick<OwnedStore, 'upgraded' | 'isNew' | 'wasKilled'>;

if (parentPort) serve(parentPort, workerData as ThreadData);

function serve(port: NonNullable<typeof parentPort>, options: ThreadData): void {
  const post = (message: FromThread) => port.postMessage(message);
  const store = opened(options, post);
  if (!store) return;
  const log = store.leaveLog();
  const guard = new Guard(store, (change) => post({ kind: 'files', change }));
  const close = async () => {
    await guard.end();
    await store.close();
    post({ kind: 'closed' });
    port.close();
  };
  const carryOut = async (message: ToThread): Promise<void> => {
    const startMs = performance.now();
    const tookMs = () => performance.now() - startMs;
    switch (message.kind) {
      case 'group': {
        const replies = await guard.run(message.calls);
        const touched = touchedBy(message.calls, replies);
        return post({ kind: 'replies', replies, touched, log: await log.state(), tookMs: tookMs() });
      }
      case 'log': {
        const state = await (message.shouldFinish ? log.checkpoint() : log.state());
        return post({ kind: 'log', log: state, tookMs: tookMs() });
      }
      case 'whole':
        return store.markWhole();
      case 'close':
        return close();
      default:
        unreachable(message);
    }
  };
  port.on('message', (message: ToThread) => void carryOut(message));
  const { upgraded, isNew, wasKilled } = store;
  post({ kind: 'open', upgraded, isNew, wasKilled });
  collectGarbageOfStart();
}

function opened({ anchorMs, ...options }: ThreadData, post: (message: FromThread) => void): OwnedStore | null {
  try {
    return ownStore(options, systemClock(anchorMs));
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    post({ kind: 'problem', message: error.message, exitCode: error.exitCode });
    return null;
  }
}
