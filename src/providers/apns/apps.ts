import { appIn } from '../../contract/addresses/apns.ts';
import type { Outcome, Target } from '../../push.ts';
import { APP_NOT_CONFIGURED } from '../outcomes/entry.ts';
import type { ApnsSettings } from './credentials.ts';

/** Apple's topic reasons, some of which name the token. */
const OF_TOPIC: ReadonlySet<string> = new Set(['BadTopic', 'TopicDisallowed', 'DeviceTokenNotForTopic']);
/** How long a push waits for the app's configuration. */
const WAIT_S = 300;

const NOT_CONFIGURED: Outcome = held(APP_NOT_CONFIGURED);

/**
 * A team's apps, named by devices. Faults of an app, or a device's claim, must not affect others: such pushes are held
 * without pausing the route or ending the device. A single app needs no distinction.
 */
export class Apps {
  readonly #first: string;
  readonly #topics: ReadonlySet<string>;
  /** Topics that a push was accepted for: another topic proves nothing about one. */
  readonly #proven = new Set<string>();

  constructor({ topic, topics }: Pick<ApnsSettings, 'topic' | 'topics'>) {
    this.#first = topic;
    this.#topics = new Set([topic, ...topics]);
  }

  /**
   * Returns the topic of a device's pushes, or the outcome that answers them unsent. Pushes never go to another app.
   */
  topicOf({ keys }: Target): string | Outcome {
    const topic = appIn(keys) ?? this.#first;
    return this.#topics.has(topic) ? topic : NOT_CONFIGURED;
  }

  judge(outcome: Outcome, topic: string): Outcome {
    if (this.#topics.size === 1) return outcome;
    if (outcome.kind === 'accepted') this.#proven.add(topic);
    if (!('reason' in outcome) || !OF_TOPIC.has(outcome.reason)) return outcome;
    const isForQuarantine = outcome.kind === 'unregistered' && this.#proven.has(topic);
    return isForQuarantine ? outcome : held(outcome.reason);
  }
}

function held(reason: string): Outcome {
  return { kind: 'held', reason, isSent: true, retryAfterS: WAIT_S };
}
