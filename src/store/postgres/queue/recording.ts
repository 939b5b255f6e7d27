import { RECEIPT_WITHIN_MS } from '../../../contract/receipts.ts';
import type { Moment } from '../../../process/clock.ts';
import type { Lane, Route } from '../../../push.ts';
import { deadLetterReason } from '../../queue/dead-letter.ts';
import type { LaneKey, QueueEngine, Recorded } from '../../queue/engine.ts';
import { type DeliveryChange, deliveryChange, isAwaited, type Line, learnedOf } from '../../queue/verdicts.ts';
import { ConnectionLost } from '../errors.ts';
import { isForeign } from './dead-letters.ts';
import { askOfQueue, type QueueDeps } from './deps.ts';
import type { LeasedFanOut } from './leased-work.ts';

const RECORD = "SELECT encode(uuid, 'hex') AS uuid FROM record_pushes($1, $2, $3, $4, $5, $6) AS uuid";

/** A row of the type `fan_out_record`. */
interface FanOutRecord {
  readonly event_id: number;
  readonly route: Route;
  readonly start: number;
  readonly number: number;
  settled_to: number;
  is_ended: boolean;
  /** How unreached targets end; null: as the database finds the event. */
  state: string | null;
  reason: string | null;
  /** How many it records. */
  targets: number;
}

/** Targets of a record with the same verdict: most of a page's. */
interface Row {
  readonly recorded: Recorded;
  /** null: a retry. */
  readonly fanOut: FanOutRecord | null;
  readonly home: number;
  readonly line: Line;
  readonly change: DeliveryChange;
  readonly deviceIds: number[];
}

/** Contents of one statement. */
interface Asked {
  readonly records: readonly Recorded[];
  readonly rows: readonly Row[];
  readonly fanOuts: readonly FanOutRecord[];
  readonly now: Moment | undefined;
}

/**
 * Records verdicts. If the answer to a record is lost, the same record is asked again before anything else: the database
 * counts it once, by the numbers of its fan-outs.
 */
export class Recorder {
  readonly #deps: QueueDeps;
  readonly #onRetry: (lane: LaneKey) => void;
  readonly #addDeadLetter: QueueEngine['addDeadLetter'];
  /** The last record if its answer is lost: together, or event by event after an error. */
  #unanswered: { asked: readonly Asked[]; readonly error: ConnectionLost } | null = null;

  /** `onRetry`: called with the lane of each push that waits for a retry. */
  constructor(
    deps: QueueDeps,
    { onRetry, addDeadLetter }: Pick<QueueEngine, 'addDeadLetter'> & { readonly onRetry: (lane: LaneKey) => void },
  ) {
    this.#deps = deps;
    this.#onRetry = onRetry;
    this.#addDeadLetter = addDeadLetter;
  }

  /**
   * Asks an unanswered record again. If an event throws, makes it a dead letter. Returns UUIDs, in hex, of events without
   * pending pushes.
   */
  async finish(): Promise<readonly string[]> {
    const finished: string[] = [];
    while (this.#unanswered !== null) {
      const { asked, error } = this.#unanswered;
      const [first, ...others] = asked;
      const left = first ? await this.#askContained(first, finished) : [];
      const next = [...left, ...others];
      this.#unanswered = next.length === 0 ? null : { asked: next, error };
    }
    return finished;
  }

  /** Returns what to ask instead: the events one by one. */
  async #askContained(asked: Asked, finished: string[]): Promise<readonly Asked[]> {
    try {
      finished.push(...(await this.#ask(asked)));
      return [];
    } catch (error) {
      if (isForeign(error)) throw error;
      const events = byEvent(asked);
      if (events.length > 1) return events;
      for (const recorded of asked.fanOuts) {
        const fanOut = this.#deps.leased.stretch(recorded);
        if (fanOut) fanOut.records = recorded.number - 1;
      }
      const keys = new Map(asked.records.map(({ of }) => [`${of.route} ${of.lane}`, of]));
      for (const key of keys.values()) await this.#addDeadLetter(key, deadLetterReason(error), asked.now?.wallMs ?? 0);
      return [];
    }
  }

  /** Why the last record has no answer; null: it has. */
  get lost(): ConnectionLost | null {
    return this.#unanswered?.error ?? null;
  }

  /** Work that is another node's now needs no record. */
  clear(): void {
    this.#unanswered = null;
  }

  /**
   * Returns UUIDs, in hex, of events without pending pushes. Its effects in memory come first, since claims go on
   * meanwhile; if nothing was recorded, they are undone.
   */
  async record(records: readonly Recorded[]): Promise<readonly string[]> {
    if (records.length === 0) return [];
    const { now } = this.#deps;
    const fanOuts = new Map<LeasedFanOut, FanOutRecord>();
    const rows: Row[] = [];
    for (const recorded of records) {
      const fanOut = this.#fanOutOf(recorded);
      if (recorded.fanOut && !fanOut) continue;
      const progress = fanOut ? this.#addFanOut(fanOuts, fanOut, recorded) : null;
      for (const line of recorded.lines) addRow(rows, this.#rowOf(recorded, fanOut, progress, line));
    }
    const effects = this.#affect(records, fanOuts);
    try {
      const finished = await this.#askOrKeep({ records, rows, fanOuts: [...fanOuts.values()], now: now() });
      effects.keep();
      for (const { recorded, change } of rows) {
        if (change.retryInMs !== null) this.#onRetry({ route: recorded.of.route, lane: change.lane });
      }
      return finished;
    } catch (error) {
      effects.undo();
      throw error;
    }
  }

  #affect(records: readonly Recorded[], fanOuts: ReadonlyMap<LeasedFanOut, FanOutRecord>) {
    const { leased } = this.#deps;
    const retries = records.flatMap(({ of, lines, fanOut }) =>
      fanOut ? [] : lines.flatMap(({ deviceId }) => leased.removeRetry(of.eventId, deviceId) ?? []),
    );
    const before = [...fanOuts.keys()].map((fanOut) => ({ fanOut, cursor: fanOut.cursor, left: fanOut.left }));
    for (const [fanOut, { settled_to: settledTo, targets }] of fanOuts) {
      fanOut.isBeingRecorded = true;
      fanOut.cursor = Math.max(fanOut.cursor, settledTo);
      fanOut.left -= targets;
    }
    const end = (): void => {
      for (const fanOut of fanOuts.keys()) fanOut.isBeingRecorded = false;
    };
    return {
      keep(): void {
        end();
        for (const [fanOut, { is_ended: isEnded, number }] of fanOuts) {
          fanOut.records = number;
          if (isEnded) leased.removeFanOut(fanOut);
        }
      },
      undo(): void {
        end();
        for (const { fanOut, ...values } of before) Object.assign(fanOut, values);
        for (const retry of retries) leased.addRetry(retry);
      },
    };
  }

  #fanOutOf({ of, fanOut }: Recorded): LeasedFanOut | undefined {
    if (!fanOut || of.fanOutId === null) return;
    return this.#deps.leased.fanOut(of, of.workspaceId, of.fanOutId);
  }

  #addFanOut(
    fanOuts: Map<LeasedFanOut, FanOutRecord>,
    fanOut: LeasedFanOut,
    { lines, fanOut: progress }: Recorded,
  ): FanOutRecord {
    const { eventId: event_id, route, start, records } = fanOut;
    const known = fanOuts.get(fanOut) ?? {
      event_id,
      route,
      start,
      number: records + 1,
      settled_to: 0,
      is_ended: false,
      state: null,
      reason: null,
      targets: 0,
    };
    // Dead letters go on behind their old cursor: some page of theirs is not recorded.
    if (!fanOut.isDead) known.settled_to = Math.max(known.settled_to, progress?.settledTo ?? 0);
    // A record that failed may have brought a page back.
    known.is_ended ||= !fanOut.isDead && progress?.isEnded === true && this.#deps.claims.pages.isIdle(fanOut);
    known.targets += lines.length;
    if (progress?.end)
      Object.assign(known, {
        state: progress.end.state,
        reason: 'reason' in progress.end ? progress.end.reason : null,
      });
    fanOuts.set(fanOut, known);
    return known;
  }

  #rowOf(recorded: Recorded, fanOut: LeasedFanOut | undefined, progress: FanOutRecord | null, line: Line): Row {
    const { lane, eventId } = recorded.of;
    const { deviceId, verdict } = line;
    const home = (fanOut ?? this.#deps.leased.retry(eventId, deviceId))?.home ?? 0;
    const change = deliveryChange(verdict, lane);
    return { recorded, fanOut: progress, home, line, change, deviceIds: [deviceId] };
  }

  /** Keeps a record whose answer is lost. */
  async #askOrKeep(asked: Asked): Promise<readonly string[]> {
    try {
      return await this.#ask(asked);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      this.#unanswered = { asked: [asked], error };
      return [];
    }
  }

  async #ask({ records, rows, fanOuts, now }: Asked): Promise<readonly string[]> {
    const places = new Map(fanOuts.map((fanOut, index) => [fanOut, index + 1]));
    const learned = records.flatMap(({ of, lines }) => lines.flatMap((line) => learnedRows(of.eventId, line)));
    const { wallMs = null, steadyMs = null } = now ?? {};
    const { rows: ended } = await askOfQueue(this.#deps, RECORD, [
      JSON.stringify(rows.map((row) => posted(row, row.fanOut && (places.get(row.fanOut) ?? null)))),
      learned.length === 0 ? null : JSON.stringify(learned),
      JSON.stringify(fanOuts),
      ...[this.#deps.node, wallMs, steadyMs],
    ]);
    return (ended as readonly { readonly uuid: string }[]).map(({ uuid }) => uuid);
  }
}

function byEvent({ records, rows, fanOuts, now }: Asked): readonly Asked[] {
  return [...Map.groupBy(records, ({ of }) => of.eventId)].map(([eventId, ofEvent]) => ({
    records: ofEvent,
    rows: rows.filter(({ recorded: { of } }) => of.eventId === eventId),
    fanOuts: fanOuts.filter(({ event_id: id }) => id === eventId),
    now,
  }));
}

function addRow(rows: Row[], row: Row): void {
  const last = rows.at(-1);
  if (last && isAlike(last, row)) last.deviceIds.push(...row.deviceIds);
  else rows.push(row);
}

const CHANGES: readonly (keyof DeliveryChange)[] = ['state', 'lane', 'spent', 'reason', 'retryInMs', 'keptS'];

function isAlike(a: Row, b: Row): boolean {
  return (
    a.recorded === b.recorded &&
    a.home === b.home &&
    a.line.fitted === b.line.fitted &&
    a.line.linksLost === b.line.linksLost &&
    CHANGES.every((column) => a.change[column] === b.change[column])
  );
}

/** Returns a row of the type `verdict_line`. `place`: of its fan-out, from 1; null: a retry. */
function posted({ recorded: { of }, home, line, change, deviceIds }: Row, place: number | null): object {
  return {
    event_id: of.eventId,
    fan_out: place,
    workspace_id: of.workspaceId,
    channel_id: of.channelId,
    route: of.route,
    lane: change.lane satisfies Lane,
    home,
    state: change.state,
    reason: change.reason,
    spent: change.spent,
    retry_in_ms: change.retryInMs,
    fitted: line.fitted,
    links_lost: line.linksLost,
    kept_s: change.keptS,
    device_ids: deviceIds,
  };
}

/** Returns a line's evidence on its device, and whether the device should report showing the push. */
function learnedRows(eventId: number, { deviceId, verdict }: Line): readonly object[] {
  const learned = learnedOf(verdict);
  const awaited = { device_id: deviceId, state: 'awaited', event_id: eventId, within_ms: RECEIPT_WITHIN_MS };
  return [
    ...(learned === null ? [] : [{ ...learned, device_id: deviceId, at_ms: learned.atMs }]),
    ...(isAwaited(verdict) ? [awaited] : []),
  ];
}
