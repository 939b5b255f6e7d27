import { appIn } from '../../contract/addresses/apns.ts';
import type { Outcome, Target } from '../../push.ts';
import { APP_NOT_CONFIGURED } from '../outcomes/queue-reasons.ts';
import type { ApnsSettings } from './credentials.ts';

/** Apple's reasons about a topic, some of which name the token. */
const OF_TOPIC: ReadonlySet<string> = new Set(['BadTopic', 'TopicDisallowed', 'DeviceTokenNotForTopic']);
/** How long a push waits until the configuration of its app is fixed. */
const WAIT_S = 300;

const NOT_CONFIGURED: Outcome = held(APP_NOT_CONFIGURED);

/**
 * The apps of one team. Devices name theirs, so what is wrong with one app, or with what a device said of its app, must
 * hold up no other: such pushes are held, and neither pause the route nor end a device. With a single app there is
 * nothing to distinguish, and answers mean what they always did.
 */
export class Apps {
  readonly #first: string;
  readonly #topics: ReadonlySet<string>;
  /** Topics that a push was accepted for: that others are right proves nothing about one. */
  readonly #proven = new Set<string>();

  constructor({ topic, topics }: Pick<ApnsSettings, 'topic' | 'topics'>) {
    this.#first = topic;
    this.#topics = new Set([topic, ...topics]);
  }

  /** The topic of a device's pushes, or with what they are answered unsent: never are they sent to another app. */
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
