import pLimit from 'p-limit';
import { publicIdOf } from '../../../contract/public-id.ts';
import { type Clock, momentOf } from '../../../process/clock.ts';
import type { AnswerOf, ArgsOf, CallName, ClaimAnswer } from '../../calls.ts';
import { claiming } from '../../queue/claiming.ts';
import { Claims } from '../../queue/claims.ts';
import type { Recorded } from '../../queue/engine.ts';
import { settling } from '../../queue/settling.ts';
import { ENDINGS_PER_CALL, sweeping } from '../../queue/sweep.ts';
import { Turns } from '../../queue/turns.ts';
import type { Reply } from '../../reply.ts';
import type { StoreSettings } from '../../settings.ts';
import type { OnTrouble } from '../../upkeep.ts';
import type { CallPath } from '../call-path.ts';
import type { Connections } from '../connections.ts';
import { errorReply, unavailableReason } from '../errors.ts';
import { isEvicted, type Membership } from '../nodes/leases.ts';
import { deadLetters } from './dead-letters.ts';
import type { QueueDeps } from './deps.ts';
import { engineOver } from './engine.ts';
import { type LeasedRow, LeasedWork } from './leased-work.ts';
import { Leasing } from './leasing.ts';
import { LettingGo } from './letting-go.ts';
import { Recorder } from './recording.ts';
import { resume, shortenWaits } from './resuming.ts';
import { type Overdue, sweepSteps } from './sweeping.ts';
import { tending } from './tending.ts';
import { Undoing } from './undoing.ts';

export interface QueuePathSettings {
  readonly settings: StoreSettings;
  readonly membership: Membership;
  readonly onTrouble?: OnTrouble | undefined;
  /** Replaces the database's clock. */
  readonly clock?: Clock | undefined;
}

export interface QueuePath extends CallPath {
  readonly lettingGo: LettingGo;
  /** Something may be free. */
  noteFree(): void;
  /** The most targets of a new fan-out that this node owns at once. */
  ownUpTo(): number;
  /**
   * Adds what a node owns since its acceptance, of events with so many targets. Returns how many of them are left to other
   * nodes.
   */
  add(node: number, owned: readonly LeasedRow[], targets: number): number;
  /** The answer to a statement is lost, which may have made this node an owner. */
  becameUncertain(): void;
  /** Ends the pushes of a cancelled event that this node owns and has not claimed. */
  endCancelled(eventId: number): void;
  /** How many other nodes there are. */
  shareWith(others: number): void;
}

const CALLS_OF_THE_QUEUE: ReadonlySet<CallName> = new Set([
  'claimBatches',
  'settleBatch',
  'releaseBatch',
  'expireOverdue',
]);

/** Pushes settled together. Claims use the places that these free, while the next are settled. */
const MOST_TOGETHER = 500;

interface WaitingSettle {
  readonly args: ArgsOf<'settleBatch'>;
  readonly resolve: (answer: AnswerOf<'settleBatch'>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers the queue's calls over what this node owns. Claims take turns, and so do records; settlements that arrive
 * during a record form the next one. A relay's first call resumes the queue.
 */
export function queuePath(
  connections: Connections,
  { settings, membership, clock, onTrouble }: QueuePathSettings,
): QueuePath {
  const leased = new LeasedWork();
  const deps: QueueDeps = {
    connections,
    settings,
    get node() {
      return membership.node;
    },
    leased,
    claims: new Claims(),
    turns: new Turns({ workspaces: (lane) => leased.workspaces(lane), onRollback: () => {} }),
    now: () => clock && momentOf(clock),
  };
  const leasing = new Leasing(deps);
  const lettingGo = new LettingGo(deps, () => leasing.compareSoon());
  const addDeadLetter = deadLetters(deps, lettingGo);
  const recorder = new Recorder(deps, { onRetry: (lane) => leasing.noteFree(lane), addDeadLetter });
  /** Claims, and other calls that wait for no record. */
  const inTurn = pLimit(1);
  const undoing = new Undoing();
  const engine = engineOver(deps, {
    leasing,
    undoing,
    addDeadLetter,
    record: (records) => recordInTurn(() => recorder.record(records)),
  });
  /** Records are stored in order. Claims go on meanwhile. */
  const inOrder = pLimit(1);
  const undoingSettled = new Undoing();
  const settlingEngine = engineOver(deps, {
    leasing,
    undoing: undoingSettled,
    addDeadLetter,
    record: recordSettled,
  });
  const claim = claiming({ ...deps, engine });
  const { settleBatches, releaseBatch } = settling({ ...deps, engine: settlingEngine });
  const steps = sweepSteps(deps, lettingGo);
  const sweep = sweeping<Overdue, void>(steps);
  const tend = tending(connections, { onTrouble });
  const settles: WaitingSettle[] = [];
  let resumed: Promise<void> | undefined;
  let others = 0;
  let isReleasing = false;
  /** UUIDs of events that ended with a record whose answer came late. */
  let endedLate: readonly string[] = [];

  /** Runs a call alone. If it fails, its changes in memory are undone. */
  function run<T>(work: () => Promise<T>): Promise<T> {
    return inTurn(async () => {
      undoing.clear();
      try {
        return await work();
      } catch (error) {
        undoing.undo();
        throw error;
      }
    });
  }

  /** Waits for earlier records, and for the answer that was lost. */
  function recordInTurn<T>(work: () => Promise<T>): Promise<T> {
    return inOrder(async () => {
      endedLate = [...endedLate, ...(await recorder.finish())];
      return work();
    });
  }

  /** A careful call records its events one by one. Those recorded stay so if a later one fails. */
  async function recordSettled(records: readonly Recorded[]): Promise<readonly string[]> {
    endedLate = [...endedLate, ...(await recorder.finish())];
    const finished = await recorder.record(records);
    undoingSettled.clear();
    return finished;
  }

  function takeEndedLate(): readonly string[] {
    const ended = endedLate.map(publicIdOf);
    endedLate = [];
    return ended;
  }

  async function whenResumed(): Promise<void> {
    resumed ??= resume(deps);
    await resumed.catch((error) => {
      resumed = undefined;
      throw error;
    });
  }

  /** Other nodes own its work now. */
  membership.onAnew(() => {
    undoing.clear();
    undoingSettled.clear();
    recorder.clear();
    deps.claims.clear();
    leased.clear();
    lettingGo.clear();
    leasing.noteFree();
  });
  membership.onClockBack(() => shortenWaits(deps));
  // Paused routes claim seldom. The next beat makes up for a failure.
  membership.onBeat(() => void releaseIdle().catch(() => {}));

  async function claimOwned(args: ArgsOf<'claimBatches'>): Promise<ClaimAnswer> {
    if (leasing.shouldCompare) await recordInTurn(() => leasing.compare((id) => lettingGo.isEnding(id)));
    const freeInMs = await leasing.leaseFor(args);
    const answer = await claim(args, leasing.now);
    const dues = [answer.nextDueInMs, freeInMs].filter((ms) => ms !== null);
    const finished = [...takeEndedLate(), ...answer.finished];
    const isFull = answer.claims.reduce((sum, { targets }) => sum + targets.length, 0) >= args.limit;
    return { ...answer, finished, nextDueInMs: isFull || dues.length === 0 ? null : Math.min(...dues) };
  }

  /** Frees what this node does not send, in steps between claims. */
  async function releaseIdle(): Promise<void> {
    if (isReleasing) return;
    isReleasing = true;
    try {
      while (await run(() => leasing.releaseIdle(others > 0)));
    } finally {
      isReleasing = false;
    }
  }

  /** Claims with a trusted lease: pushes may be sent at once. */
  async function claimAsLiving(args: ArgsOf<'claimBatches'>): Promise<ClaimAnswer> {
    if (membership.lease.isOver) await membership.beat();
    try {
      return await run(() => claimOwned(args));
    } catch (error) {
      if (!isEvicted(error)) throw error;
      await membership.beat();
      return run(() => claimOwned(args));
    }
  }

  function settle(args: ArgsOf<'settleBatch'>): Promise<AnswerOf<'settleBatch'>> {
    return new Promise((resolve, reject) => {
      settles.push({ args, resolve, reject });
      void inOrder(settleWaiting);
    });
  }

  function nextGroup(): WaitingSettle[] {
    let pushes = 0;
    const end = settles.findIndex(({ args }) => {
      pushes += args.verdicts.length;
      return pushes > MOST_TOGETHER;
    });
    return settles.splice(0, end === -1 ? settles.length : Math.max(1, end));
  }

  /** Settles calls that wait. If one of them fails by a bug, settles each alone. */
  async function settleWaiting(): Promise<void> {
    const group = nextGroup();
    if (group.length === 0) return;
    const careful = group.filter(({ args }) => args.isCareful);
    if (careful.length > 0) return settleOneByOne(group);
    try {
      const answers = await settleTogether(group.map(({ args }) => args));
      for (const [place, { resolve }] of group.entries()) resolve(answers[place] ?? { finished: [] });
    } catch (error) {
      if (unavailableReason(error) === undefined && group.length > 1) return settleOneByOne(group);
      for (const { reject } of group) reject(error);
    }
  }

  async function settleOneByOne(group: readonly WaitingSettle[]): Promise<void> {
    for (const { args, resolve, reject } of group) {
      await settleTogether([args]).then(([answer]) => resolve(answer ?? { finished: [] }), reject);
    }
  }

  async function settleTogether(asked: readonly ArgsOf<'settleBatch'>[]): Promise<readonly AnswerOf<'settleBatch'>[]> {
    undoingSettled.clear();
    let answers: readonly AnswerOf<'settleBatch'>[];
    try {
      endedLate = [...endedLate, ...(await recorder.finish())];
      answers = await settleBatches(asked, leasing.now, asked[0]?.isCareful);
    } catch (error) {
      undoingSettled.undo();
      throw error;
    }
    // The caller asks again, and is answered once the record is.
    if (recorder.lost) throw recorder.lost;
    const [first = { finished: [] }, ...others] = answers;
    return [{ ...first, finished: [...takeEndedLate(), ...first.finished] }, ...others];
  }

  async function answerTo(name: CallName, args: unknown): Promise<unknown> {
    switch (name) {
      case 'claimBatches':
        await whenResumed();
        void tend();
        return claimAsLiving(args as ArgsOf<'claimBatches'>);
      case 'expireOverdue':
        await whenResumed();
        void tend();
        return run(() => sweep(args as ArgsOf<'expireOverdue'>));
      case 'settleBatch':
        return settle(args as ArgsOf<'settleBatch'>);
      case 'releaseBatch':
        return run(async () => releaseBatch(args as ArgsOf<'releaseBatch'>));
      default:
        throw new Error(`${name} is no call of the queue`);
    }
  }

  return {
    canTake: ({ name }) => CALLS_OF_THE_QUEUE.has(name),
    answer: ({ name, args }): Promise<Reply> =>
      answerTo(name, args).then((answer) => ({ kind: 'answer', answer }) as Reply, errorReply),
    lettingGo,
    noteFree: () => leasing.noteFree(),
    ownUpTo: () => (resumed && !membership.lease.isOver ? leasing.ownUpTo : 0),
    add(node, owned, targets) {
      if (node === membership.node) leasing.addOwn(owned);
      const left = targets - owned.reduce((sum, { left_over: ofRow }) => sum + ofRow, 0);
      if (left > 0) leasing.noteFree();
      return left;
    },
    becameUncertain: () => leasing.becameUncertain(),
    endCancelled(eventId) {
      const { fanOuts, retries } = leased.ofEvent(eventId);
      if (fanOuts.length + retries.length === 0) return;
      // Their next claim or sweep makes up for a failure.
      run(async () => steps.endCarefully({ eventId }, ENDINGS_PER_CALL)).catch(() => {});
    },
    shareWith(count) {
      others = count;
    },
  };
}
