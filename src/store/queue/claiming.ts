import { publicIdOf, type Uuid } from '../../contract/public-id.ts';
import type { Moment } from '../../process/clock.ts';
import type { ArgsOf, ClaimAnswer, ClaimedEvent } from '../calls.ts';
import { deadLetterReason } from './dead-letter.ts';
import type { Answered, FanOut, Recorded } from './engine.ts';
import type { ClaimedPart } from './fan-out-pages.ts';
import { type ClaimedTarget, type ClaimedTargets, claimedEvent, inBatches } from './packing.ts';
import { type PlannedPage, type PlannedRetries, planning, type QueueDeps, type Slice } from './planning.ts';
import { ENDINGS_PER_CALL } from './sweep.ts';
import { type EventHead, endOf, endOfLife, isExpired, type RetryRow, targetOf, WITHDRAWN } from './targets.ts';
import { type Line, unsentLine } from './verdicts.ts';

/** Claims what is sent next. */
export function claiming(deps: QueueDeps) {
  const { claims, turns, engine } = deps;
  const plan = planning(deps);

  return async (asked: ArgsOf<'claimBatches'>, now: Moment): Promise<ClaimAnswer> => {
    const { route, lane, limit, batchSize, isCareful } = asked;
    const held = new Set<number>();
    const round = new Round(deps, asked, now, held);
    const ready = turns.ready(asked);
    ready.wakeDue(now.steadyMs);
    while (!round.isFull) {
      // A planned target may end at once.
      const most = Math.min(limit - round.targets, round.endingsLeft, engine.targetsTogether);
      const slices = plan(asked, most, now.steadyMs, held);
      if (slices.length === 0) break;
      if (!isCareful) await round.take(slices);
      else for (const ofEvent of Map.groupBy(slices, ({ of }) => of).values()) await round.takeContained(ofEvent);
    }
    round.postpone();
    for (const workspaceId of held) ready.wake(workspaceId);
    const nextDueMs = round.isFull ? now.steadyMs : ready.nextDueMs();
    return {
      claims: inBatches(round.taken, batchSize).map((taken) => {
        const claim = claims.handOut(route, lane, taken);
        engine.onRollback(() => claims.drop(claim.claimId));
        return claim;
      }),
      nextDueInMs: round.targets < limit && nextDueMs !== null ? Math.max(0, nextDueMs - now.steadyMs) : null,
      finished: round.finished.map(publicIdOf),
    };
  };
}

/** A page that was read, and how far it is taken. `event` null: its pushes are sent no more. */
interface ReadPage {
  readonly rows: Extract<Answered, { rows: unknown }>['rows'];
  readonly event: ClaimedEvent | null;
  readonly head: EventHead | undefined;
  at: number;
  from: number;
  isDone: boolean;
}

/** A claim in the making. */
class Round {
  readonly #deps: QueueDeps;
  readonly #asked: ArgsOf<'claimBatches'>;
  readonly #now: Moment;
  /** Workspaces that may not send now. */
  readonly #held: Set<number>;
  readonly #records: Recorded[] = [];
  /** Fan-outs that end with their pages in flight: once looked at is enough. */
  readonly #over = new Set<FanOut>();
  #endings = 0;
  taken: ClaimedTargets<ClaimedPart>[] = [];
  finished: Uuid[] = [];
  targets = 0;

  constructor(deps: QueueDeps, asked: ArgsOf<'claimBatches'>, now: Moment, held: Set<number>) {
    this.#deps = deps;
    this.#asked = asked;
    this.#now = now;
    this.#held = held;
  }

  get isFull(): boolean {
    return this.targets >= this.#asked.limit || this.endingsLeft <= 0;
  }

  get endingsLeft(): number {
    return ENDINGS_PER_CALL - this.#endings;
  }

  /** Reads planned work and takes it, slice by slice. Ends what is not sent. */
  async take(slices: readonly Slice[]): Promise<void> {
    const { engine, turns } = this.#deps;
    const planned = [...new Set(slices.map(({ of }) => of))];
    const answers = await engine.targetsOf(planned, this.#now);
    const pages = new Map<PlannedPage, ReadPage>();
    const answerOf = new Map(planned.map((of, place) => [of, answers[place] as Answered]));
    for (const { of, most } of slices) {
      const answer = answerOf.get(of) as Answered;
      if (answer.isGone) {
        this.#skip(of);
      } else if (answer.isHeld) {
        this.#hold(of);
      } else if ('fanOut' in of && 'rows' in answer) {
        const { rows, head } = answer;
        const page = pages.get(of) ?? {
          rows,
          event: this.#eventOf(head),
          head,
          at: 0,
          from: of.page.from,
          isDone: false,
        };
        pages.set(of, page);
        this.#takePage(of, page, most);
      } else if ('key' in of && 'retries' in answer) {
        this.#deps.claims.freeRetries(of.key.eventId, of.deviceIds);
        if (this.isFull) turns.ready(of.key).wake(of.key.workspaceId);
        else if (answer.head) this.#takeRetries(of, answer.head, answer.retries);
        else {
          await engine.forget(of.key.eventId, of.deviceIds);
          this.#endings += of.deviceIds.length;
        }
      }
    }
    for (const [of, page] of pages) this.#finishPage(of, page);
    const records = this.#records.splice(0);
    if (records.length > 0) this.finished.push(...(await engine.record(records, this.#now)).finished);
  }

  /** If an event throws, makes it a dead letter and undoes its work. */
  async takeContained(slices: readonly Slice[]): Promise<void> {
    const { engine, claims } = this.#deps;
    const before = { taken: [...this.taken], finished: [...this.finished], targets: this.targets };
    const attempted = await engine.attempt(() => this.take(slices));
    if ('done' in attempted) return;
    Object.assign(this, before);
    this.#records.length = 0;
    const [first] = slices;
    if (!first) return;
    const { of } = first;
    if ('key' in of) claims.freeRetries(of.key.eventId, of.deviceIds);
    const key = 'key' in of ? of.key : of.fanOut;
    this.#endings += await engine.addDeadLetter(key, deadLetterReason(attempted.error), this.#now.wallMs);
  }

  /** Passes over work that another process has now. */
  #skip(of: PlannedPage | PlannedRetries): void {
    const { claims, turns } = this.#deps;
    if ('key' in of) claims.freeRetries(of.key.eventId, of.deviceIds);
    const work = 'key' in of ? of.key : of.fanOut;
    turns.ready(work).wake(work.workspaceId);
  }

  /** Keeps planned work of a workspace that may not send now. */
  #hold(of: PlannedPage | PlannedRetries): void {
    const { claims, turns } = this.#deps;
    if ('key' in of) claims.freeRetries(of.key.eventId, of.deviceIds);
    else turns.of(of.fanOut, of.fanOut.workspaceId).begun.add(of.fanOut.fanOutId);
    this.#held.add('key' in of ? of.key.workspaceId : of.fanOut.workspaceId);
  }

  #takePage(planned: PlannedPage, page: ReadPage, most: number): void {
    const { claims, engine } = this.#deps;
    const { batchSize, limit } = this.#asked;
    const { fanOut } = planned;
    const { rows, event } = page;
    const goal = Math.min(this.targets + most, limit);
    while (event && this.targets < goal && !this.isFull && !page.isDone) {
      const room = Math.min(goal - this.targets, batchSize - (this.targets % batchSize));
      const targets: ClaimedTarget[] = [];
      const muted: Line[] = [];
      for (; page.at < rows.length && targets.length < room && this.endingsLeft > 0; page.at += 1) {
        const row = rows[page.at] as (typeof rows)[number];
        if (row.isMuted) muted.push(unsentLine(row.deviceId, WITHDRAWN.muted));
        else targets.push(targetOf(row));
        if (row.isMuted) this.#endings += 1;
      }
      page.isDone = page.at === rows.length;
      const isWhole = page.isDone && rows.length < planned.most;
      const part = { from: page.from, to: isWhole ? planned.page.to : (rows[page.at - 1]?.number ?? page.from) };
      page.from = part.to;
      if (muted.length > 0) this.#record(fanOut, muted, false);
      const isExhausted = part.to >= fanOut.last;
      if (targets.length > 0) {
        const deviceIds = targets.map(({ deviceId }) => deviceId);
        const { wallMs } = this.#now;
        const claimed = claims.pages.claim(fanOut, fanOut.channelId, part, isExhausted, deviceIds, wallMs);
        this.#add({ part: claimed, event, targets });
      } else {
        engine.onRollback(() => claims.pages.unskip(fanOut, part));
        claims.pages.skip(fanOut, part, isExhausted);
      }
    }
  }

  /** Ends a fan-out without targets, or makes its event wait for its next turn. */
  #finishPage({ fanOut }: PlannedPage, page: ReadPage): void {
    const { claims, turns } = this.#deps;
    const { workspaceId, fanOutId } = fanOut;
    const { begun } = turns.of(fanOut, workspaceId);
    if (page.event ? page.isDone && claims.pages.isIdle(fanOut) : !claims.pages.isOut(fanOut)) {
      begun.delete(fanOutId);
      claims.pages.forget(fanOut);
      this.#endings += 1;
      const end = !page.event && page.head ? { end: endOfLife(page.head) } : {};
      this.#records.push({ of: fanOut, lines: [], fanOut: { settledTo: 0, isEnded: true, ...end } });
    } else if (claims.pages.isAllOut(fanOut)) {
      begun.delete(fanOutId);
    } else if (page.event) {
      begun.add(fanOutId);
      turns.ready(fanOut).wake(workspaceId);
    } else {
      begun.delete(fanOutId);
      this.#over.add(fanOut);
    }
  }

  /** Makes ended events that have pages in flight wait for the next claim. */
  postpone(): void {
    const { turns } = this.#deps;
    for (const fanOut of this.#over) turns.of(fanOut, fanOut.workspaceId).begun.add(fanOut.fanOutId);
  }

  #takeRetries({ key }: PlannedRetries, head: EventHead, rows: readonly RetryRow[]): void {
    const { claims, turns } = this.#deps;
    const { batchSize, limit } = this.#asked;
    const event = this.#eventOf(head);
    const ends = rows.map((row) => ({ row, end: event ? endOf(row) : endOfLife(head) }));
    const ended = ends.flatMap(({ row, end }) => (end ? [unsentLine(row.deviceId, end)] : []));
    const targets = ends.flatMap(({ row, end }) => (end ? [] : [targetOf(row)]));
    if (ended.length > 0) {
      this.#endings += ended.length;
      this.#record({ ...key, channelId: head.channelId, fanOutId: null }, ended, null);
    }
    while (event && targets.length > 0 && !this.isFull) {
      const room = Math.min(limit - this.targets, batchSize - (this.targets % batchSize));
      const some = targets.splice(0, room);
      const claimed = some.map(({ deviceId }) => deviceId);
      this.#add({ part: claims.claimRetries(key, head.channelId, claimed, this.#now.wallMs), event, targets: some });
    }
    if (targets.length > 0) turns.ready(key).wake(key.workspaceId);
  }

  #add(taken: ClaimedTargets<ClaimedPart>): void {
    const { claims, engine } = this.#deps;
    this.taken.push(taken);
    this.targets += taken.targets.length;
    // The plan undoes its turns.
    engine.onRollback(() => claims.giveBack(taken.part));
  }

  #record(of: Recorded['of'], lines: readonly Line[], isEnded: boolean | null): void {
    this.#records.push({ of, lines, fanOut: isEnded === null ? null : { settledTo: 0, isEnded } });
  }

  #eventOf(head: EventHead | undefined): ClaimedEvent | null {
    const { steadyMs } = this.#now;
    return head && !isExpired(head, steadyMs) ? claimedEvent(head, head.expiresAtSteadyMs - steadyMs) : null;
  }
}
