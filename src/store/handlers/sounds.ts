import { type AlertOfEvent, type LoudnessFacts, loudness } from '../../contract/loudness.ts';
import { type QuietHours, quietTimes } from '../../contract/quiet-hours.ts';
import type { PostedEvent } from '../../push.ts';
import type { WindowOfChannel } from './maintenance/rows.ts';

/**
 * SQL: the settings of a channel that decide about sounds, as JSON of `ChannelSound`; NULL: it has none. PostgreSQL has
 * the same in `sound_of`.
 */
export const SOUND = `CASE WHEN quiet IS NOT NULL OR windows IS NOT NULL
  THEN '{"quiet":' || coalesce(quiet, 'null') || ',"windows":' || coalesce(windows, '[]') || '}' END`;

interface ChannelSound {
  readonly quiet: QuietHours | null;
  readonly windows: readonly WindowOfChannel[];
}

export type SoundedEvent = Pick<PostedEvent, 'urgency' | 'collapseKey'>;

const ALERTS: readonly (AlertOfEvent | null)[] = [null, 'opened', 'waiting', 'open', 'acknowledged', 'resolved'];

/** Settings that are kept parsed. */
const MOST_KEPT = 1_000;

/** The decisions for an event whose channel has no such settings, as `table` returns them. */
export const SILENCED = tableOf({ kind: 'event', urgency: 'standard', collapseKey: null, alert: null, nowMs: 0 });

/** Decides how loud posted events are. An engine has one of it. */
export class Sounds {
  readonly #parsed = new Map<string, ChannelSound>();
  readonly #isQuietTime = quietTimes();

  /** Returns the decision as it is stored with the event; null: it rings. `sound`: its channel's, by `SOUND`. */
  decide(
    event: SoundedEvent,
    sound: string | null,
    { alert, holder = null }: Pick<LoudnessFacts, 'alert' | 'holder'>,
    nowMs: number,
  ): string | null {
    const quiet = loudness({ ...this.#factsOf(event, sound, nowMs), alert, holder });
    return quiet && JSON.stringify(quiet);
  }

  /** Returns the decisions for each alert that an event may find, as JSON, so that a database can pick one. */
  table(event: SoundedEvent, sound: string, nowMs: number): string {
    return tableOf(this.#factsOf(event, sound, nowMs));
  }

  #factsOf({ urgency, collapseKey }: SoundedEvent, sound: string | null, nowMs: number): LoudnessFacts {
    const facts = { kind: 'event', urgency, collapseKey, alert: null, nowMs } as const;
    if (sound === null) return facts;
    const { quiet, windows } = this.#parse(sound);
    const windowsOn = windows.filter(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs);
    return { ...facts, windows: windowsOn, isQuietTime: quiet !== null && this.#isQuietTime(quiet, nowMs) };
  }

  #parse(sound: string): ChannelSound {
    const known = this.#parsed.get(sound);
    if (known !== undefined) return known;
    const parsed: ChannelSound = JSON.parse(sound);
    if (this.#parsed.size >= MOST_KEPT) this.#parsed.clear();
    this.#parsed.set(sound, parsed);
    return parsed;
  }
}

function tableOf(facts: LoudnessFacts): string {
  const quiet = ALERTS.flatMap((alert) => {
    const found = loudness({ ...facts, alert });
    return found === null ? [] : [[alert ?? 'none', found] as const];
  });
  return JSON.stringify(Object.fromEntries(quiet));
}
