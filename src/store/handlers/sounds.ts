import {
  type AlertOfEvent,
  type LoudnessFacts,
  loudness,
  type StoredQuiet,
  storedLoudness,
} from '../../contract/loudness.ts';
import { OnCall, type OnCallPlan } from '../../contract/on-call/timeline.ts';
import {
  type QuietHours,
  quietProblems,
  quietTimes,
  type Rings,
  ringsProblem,
  storedQuietHours,
} from '../../contract/ringing.ts';
import type { PostedEvent } from '../../push.ts';
import { lruCache } from '../../values/lru-cache.ts';
import type { Channel, Refusal } from '../calls.ts';
import { invalidField } from '../refusals.ts';
import type { Sql } from '../sql.ts';
import type { WindowOfChannel } from './maintenance/rows.ts';
import { PLAN_OF_CHANNEL } from './on-call/sound.ts';
import { type Ring, RingCounter, type Ringing } from './ring-counter.ts';

/** SQL: a channel's sound settings as JSON of `ChannelSound`; NULL: none. Same rule: `sound_of` (PostgreSQL). */
export const SOUND = `CASE WHEN quiet IS NOT NULL OR rings IS NOT NULL OR windows IS NOT NULL OR ring_after IS NOT NULL OR rota_id IS NOT NULL THEN ${[
  `'{"quiet":' || coalesce(quiet, 'null')`,
  `',"rings":' || coalesce(rings, 'null')`,
  `',"windows":' || coalesce(windows, '[]')`,
  `',"ringAfterS":' || coalesce(ring_after, 0)`,
  `',"onCall":' || coalesce(${PLAN_OF_CHANNEL}, 'null')`,
  `'}'`,
].join(' || ')} END`;

interface ChannelSound {
  readonly quiet: QuietHours | null;
  readonly rings: Rings | null;
  readonly windows: readonly WindowOfChannel[];
  readonly ringAfterS: number;
  readonly onCall: OnCallPlan | null;
}
/** `onCall`: made of the plan. */
type ParsedSound = Omit<ChannelSound, 'onCall'> & { readonly onCall: OnCall | null };

export type SoundedEvent = Pick<PostedEvent, 'urgency' | 'collapseKey'> & Ringing;

const ALERTS: readonly (AlertOfEvent | null)[] = [null, 'opened', 'waiting', 'open', 'acknowledged', 'resolved'];

/** Parsed settings kept. */
const MOST_KEPT = 1_000;

/** The decisions for a channel without such settings, as `table` returns them. */
export const SILENCED = tableOf(
  silencesOf({ kind: 'event', urgency: 'standard', collapseKey: null, alert: null, nowMs: 0 }),
);

/** Decides how loud posted events are. One per engine: it counts rings per channel. */
export class Sounds {
  readonly #parsed = lruCache<string, ParsedSound>(MOST_KEPT);
  readonly #isQuietTime = quietTimes();
  readonly #rings = new RingCounter();

  /**
   * Returns the stored decision; null: it rings. `sound`: the channel's, by `SOUND`. `ring`: counts in `rings` unless
   * given back.
   */
  decide(
    event: SoundedEvent,
    sound: string | null,
    { alert, holder = null }: Pick<LoudnessFacts, 'alert' | 'holder'>,
    nowMs: number,
  ): { readonly quiet: string | null; readonly ring: Ring | null } {
    const { facts, rings } = this.#factsOf(event, sound, nowMs);
    const quiet = storedLoudness({ ...facts, alert, holder });
    const counts = rings !== null && !facts.isOverRings && quiet === null;
    return { quiet, ring: counts ? this.#rings.count(event, rings, nowMs) : null };
  }

  /** Returns who is on call in a channel; null: nobody, or it has no rota. */
  onCall(sound: string | null, nowMs: number): number | null {
    return sound === null ? null : (this.#parse(sound).onCall?.at(nowMs) ?? null);
  }

  /**
   * Returns the decisions for each alert that an event may find, as JSON, so a database can pick one; and who is on
   * call. Give the ring back if the event does not ring.
   */
  table(event: SoundedEvent, sound: string, nowMs: number): { readonly table: string; readonly ring: Ring | null } {
    const { facts, rings } = this.#factsOf(event, sound, nowMs);
    const silences = silencesOf(facts);
    const counts = rings !== null && !facts.isOverRings && silences.length < ALERTS.length;
    return {
      table: tableOf(silences, this.onCall(sound, nowMs)),
      ring: counts ? this.#rings.count(event, rings, nowMs) : null,
    };
  }

  giveBack(ring: Ring): void {
    this.#rings.giveBack(ring);
  }

  #factsOf(event: SoundedEvent, sound: string | null, nowMs: number) {
    const { urgency, collapseKey } = event;
    const facts: LoudnessFacts = { kind: 'event', urgency, collapseKey, alert: null, nowMs };
    if (sound === null) return { facts, rings: null };
    const { quiet, rings, windows, ringAfterS } = this.#parse(sound);
    const windowsOn = windows.filter(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs);
    const isQuietTime = quiet !== null && this.#isQuietTime(quiet, nowMs);
    const isOverRings = rings !== null && this.#rings.isOver(event, rings, nowMs);
    return { facts: { ...facts, windows: windowsOn, ringAfterS, isQuietTime, isOverRings }, rings };
  }

  #parse(sound: string): ParsedSound {
    const known = this.#parsed.get(sound);
    if (known !== undefined) return known;
    const stored: ChannelSound = JSON.parse(sound);
    const parsed = { ...stored, onCall: stored.onCall && new OnCall(stored.onCall) };
    this.#parsed.set(sound, parsed);
    return parsed;
  }
}

/** Returns the decisions of the alerts with which the event makes no sound. */
function silencesOf(facts: LoudnessFacts): (readonly [AlertOfEvent | 'none', StoredQuiet])[] {
  return ALERTS.flatMap((alert) => {
    const found = loudness({ ...facts, alert });
    return found === null ? [] : [[alert ?? 'none', found] as const];
  });
}

function tableOf(silences: ReturnType<typeof silencesOf>, onCall: number | null = null): string {
  return JSON.stringify({ ...Object.fromEntries(silences), ...(onCall !== null && { onCall }) });
}

export const SOUND_FIELDS = 'quiet, rings';

/** JSON; null: not set. */
export interface SoundRow {
  readonly quiet: string | null;
  readonly rings: string | null;
}
/** Absent fields stay. */
interface SoundChange {
  readonly quiet?: QuietHours | null | undefined;
  readonly rings?: Rings | null | undefined;
}

export function soundFieldsOf({ quiet, rings }: SoundRow): Pick<Channel, 'quiet' | 'rings'> {
  return { quiet: quiet && JSON.parse(quiet), rings: rings && JSON.parse(rings) };
}

interface SoundSettings {
  /** Returns why the settings are refused; null: valid. */
  check(change: SoundChange): Refusal | null;
  /** Sets checked values. */
  set(channelId: number, change: SoundChange): Promise<void>;
}

export function soundSettings(sql: Sql): SoundSettings {
  const writeQuiet = sql.run<{ id: number; hours: string | null }>('UPDATE channel SET quiet = :hours WHERE id = :id');
  const writeRings = sql.run<{ id: number; atMost: string | null }>(
    'UPDATE channel SET rings = :atMost WHERE id = :id',
  );

  return {
    check({ quiet, rings }) {
      const problem = (quiet && quietProblems(quiet)[0]) ?? (rings && ringsProblem(rings));
      return problem ? invalidField(problem) : null;
    },
    async set(id, { quiet, rings }) {
      if (quiet !== undefined) await writeQuiet({ id, hours: quiet && storedQuietHours(quiet) });
      if (rings === undefined) return;
      await writeRings({ id, atMost: rings && JSON.stringify({ at_most: rings.at_most, per: rings.per }) });
    },
  };
}
