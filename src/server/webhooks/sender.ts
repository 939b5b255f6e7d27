import type { Config } from '../../config/config.ts';
import { readablePath, readNamedFile, whyUnreadable } from '../../config/named-file.ts';
import type { Clock } from '../../process/clock.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { StoreUnavailable, type WebhookMessage, type WebhookOutcome } from '../../store/calls.ts';
import type { ServingStore } from '../../store/client.ts';
import { TimedWork, type TimedWorkDeps } from '../timed-work.ts';
import type { PostOptions, PostOutcome } from './post.ts';

/** A workspace has at most five endpoints; each is sent one message at a time. */
const MOST_IN_FLIGHT = 50;
const LOOK_AGAIN_MS = 1_000;
const AFTER_FAULT_MS = 5_000;

interface WebhookSenderDeps extends TimedWorkDeps {
  readonly store: Pick<
    ServingStore,
    'nextWebhookMessage' | 'takeWebhookMessages' | 'settleWebhookMessage' | 'onTouched'
  >;
  readonly config: Pick<Config, 'webhooks' | 'handedOver'>;
  readonly clock: Clock;
  readonly onSent?: (outcome: WebhookOutcome['kind']) => void;
  /** Used by tests only. */
  readonly post?: Partial<Pick<PostOptions, 'withinMs' | 'resolve'>>;
}

/**
 * Sends the messages of webhooks, beside the relay. Without a webhook, the sending code is not loaded. The store
 * ensures that no two servers send to one endpoint at once, and gives the messages of a lost server to another.
 */
export class WebhookSender {
  readonly #deps: WebhookSenderDeps;
  readonly #ca: string | null;
  readonly #work: TimedWork;
  readonly #stopping = new AbortController();
  #inFlight = 0;

  /** Throws `OperatorProblem` for an unreadable CA. */
  constructor(deps: WebhookSenderDeps) {
    this.#deps = deps;
    this.#ca = readCa(deps.config);
    this.#work = new TimedWork(deps, {
      topic: 'webhooks',
      failed: 'the sending to webhooks failed',
      againMs: AFTER_FAULT_MS,
      work: () => this.#take(),
    });
  }

  start(): void {
    this.#work.start();
  }

  /** Aborts messages under way; another server, or the next start, sends them again. */
  stop(): void {
    this.#work.stop();
    this.#stopping.abort();
  }

  /** Returns how long to rest, in ms; null: until there is a webhook. */
  async #take(): Promise<number | null> {
    const { store } = this.#deps;
    const { inMs } = await store.nextWebhookMessage({});
    if (inMs !== 0) return inMs;
    const limit = MOST_IN_FLIGHT - this.#inFlight;
    const messages = limit > 0 ? await store.takeWebhookMessages({ limit }) : [];
    this.#inFlight += messages.length;
    for (const message of messages) void this.#send(message);
    return LOOK_AGAIN_MS;
  }

  async #send(message: WebhookMessage): Promise<void> {
    const { store, log, onSent } = this.#deps;
    const { webhookId, messageId, lease } = message;
    try {
      const { cause, ...outcome } = await this.#post(message);
      if (this.#stopping.signal.aborted) return;
      onSent?.(outcome.kind);
      const { disabled } = await store.settleWebhookMessage({ webhookId, messageId, lease, outcome });
      if (outcome.kind === 'failed') {
        log.info({ webhook: webhookId, reason: outcome.reason, cause }, 'a webhook message was not accepted');
      }
      if (disabled !== null) log.warn({ webhook: webhookId, reason: disabled.reason }, 'a webhook is disabled');
    } catch (error) {
      if (!(error instanceof StoreUnavailable))
        log.error({ err: error, webhook: webhookId }, 'a webhook message could not be sent');
    } finally {
      this.#inFlight -= 1;
      this.#work.wake();
    }
  }

  async #post(message: WebhookMessage): Promise<PostOutcome> {
    const { config, clock, post } = this.#deps;
    const { postMessage } = await import('./post.ts');
    const { allowPrivate } = config.webhooks;
    return postMessage(message, {
      allowPrivate,
      ca: this.#ca,
      signal: this.#stopping.signal,
      nowMs: () => clock.wallMs(),
      ...post,
    });
  }
}

/** Null: none is named. */
function readCa({ webhooks: { caFile }, handedOver }: WebhookSenderDeps['config']): string | null {
  if (caFile === null) return null;
  try {
    return readNamedFile(readablePath({ handedOver }, caFile)).toString('utf8');
  } catch (error) {
    throw new OperatorProblem(`webhooks.ca_file: ${caFile} ${whyUnreadable(error)}`);
  }
}
