import type { ProviderConfigs } from '../../config/config.ts';
import { appIn } from '../../contract/addresses/apns.ts';
import type { Outcome, Target } from '../../push.ts';
import { privateKey, readCa, Unusable } from '../key-files.ts';
import { APP_NOT_CONFIGURED } from '../outcomes/entry.ts';
import type { Credentials } from '../provider.ts';

/** Contents instead of paths: the reader reports unreadable files. */
export interface ApnsSettings {
  /** PEM of the .p8 key. */
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
  /** The app's bundle ID, and others that devices may name. */
  readonly topic: string;
  readonly topics: readonly string[];
  /** The app may send critical alerts. */
  readonly critical: boolean;
  readonly endpointProduction: string;
  readonly endpointSandbox: string;
  /** PEM of a CA instead of the system's. */
  readonly ca?: string;
}

const ADVICE = 'Use the AuthKey_….p8 file as downloaded from Apple.';

export const apnsCredentials: Credentials<ProviderConfigs['apns'], ApnsSettings> = {
  whenComplete: 'the key file holds a key of the kind that Apple uses',

  files: ({ keyFile, caFile }) => [
    { setting: 'apns.key_file', file: keyFile, isSecret: true },
    { setting: 'apns.ca_file', file: caFile, isSecret: false },
  ],

  read(apns, read) {
    const where = `apns.key_file (${apns.keyFile})`;
    const key = read(apns.keyFile, 'apns.key_file');
    const { asymmetricKeyType, asymmetricKeyDetails } = privateKey(key, where, ADVICE);
    if (asymmetricKeyType !== 'ec' || asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
      throw new Unusable(`${where} holds a private key of the wrong kind: Apple uses EC keys on P-256. ${ADVICE}`);
    }
    return {
      key,
      keyId: apns.keyId,
      teamId: apns.teamId,
      topic: apns.topic,
      topics: apns.topics,
      critical: apns.critical,
      endpointProduction: apns.endpointProduction,
      endpointSandbox: apns.endpointSandbox,
      ...readCa(apns.caFile, 'apns.ca_file', read),
    };
  },
};

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
