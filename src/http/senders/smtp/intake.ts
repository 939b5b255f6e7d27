import { randomUUID } from 'node:crypto';
import { plainEvent } from '../../../contract/event-body.ts';
import { channelIn, keyIn, MOST_RECIPIENTS } from '../../../contract/senders/mail.ts';
import type { FittedPublication } from '../../../contract/senders/texts.ts';
import { entryUrl } from '../../../process/entry-points.ts';
import { type Poster, posterOf } from '../../acceptance.ts';
import type { Integrator } from '../../auth/api-key.ts';
import { ApiError } from '../../errors.ts';
import { type FailureLogDeps, failureLog, RefusalLog } from '../../failure-log.ts';
import { keyOwner } from '../../limits/body-budget.ts';
import { counted } from '../../limits/throttles.ts';
import type { RequestState } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { fit } from '../delivery.ts';
import { ParsingThread, type ParsingThreadOptions } from '../parsing-thread.ts';
import type { MailAnswer, MailTask } from './mail-worker.ts';
import { Discarding, type MailRoom, type ReceivedMail, refusalOf, SmtpRefusal, type SmtpStep } from './received.ts';

/** The HTTP parts that share keys and limits with the intake. */
export interface MailService
  extends Pick<
    Service,
    | 'acceptance'
    | 'authorize'
    | 'bodies'
    | 'proven'
    | 'throttle'
    | 'clock'
    | 'config'
    | 'log'
    | 'clients'
    | 'onAnswered'
  > {
  readonly store: FailureLogDeps['store'];
}

export interface MailClient {
  readonly address: string;
  /** The sender by password; null: not shown. */
  by: Integrator | null;
  targets: readonly Target[];
  refusals: number;
}

interface Target {
  readonly by: Integrator;
  readonly poster: Poster;
  readonly channel: string;
}

type State = Pick<RequestState, 'requestId' | 'refused' | 'keyId' | 'replay' | 'headers' | 'bodyOwner'>;

/** The part of a mail in memory. Text precedes attachments. */
export const KEPT_BYTES = 2 * 1_048_576;
const AT_ONCE = { perWorkspace: 8, total: 32 };
/** More refusals end the connection, as for guessers. */
const MOST_REFUSALS = 20;
/** The bound of schemas/event.json. */
const LONGEST_CHANNEL = 120;

const TOO_MANY = new SmtpRefusal(421, 'Too many errors on this connection.');
const ROUTE = 'smtp';
/** RFC 5321 and 4954. */
const COMMANDS: Readonly<Record<SmtpStep, string>> = { auth: 'AUTH', recipient: 'RCPT', mail: 'DATA' };

/** Handles mail clients. Methods throw `SmtpRefusal`, and log like requests. */
export class MailIntake {
  readonly #service: MailService;
  readonly #refusals: RefusalLog;
  readonly #logFailure: ReturnType<typeof failureLog>;
  readonly #thread: ParsingThread<MailTask, MailAnswer>;
  readonly #discarding = new Discarding();

  constructor(service: MailService, options: ParsingThreadOptions = {}) {
    this.#service = service;
    this.#refusals = new RefusalLog(service.log, service.clock);
    this.#logFailure = failureLog(service);
    this.#thread = new ParsingThread(entryUrl('http/senders/smtp/mail-worker'), { ...AT_ONCE, ...options });
  }

  /** Takes a key as password, under any user name. */
  async signIn(client: MailClient, password: string): Promise<void> {
    await this.#step('auth', client, async (state) => {
      client.by = await this.#authorize(state, client, password);
    });
  }

  /** Takes a recipient whose key may post. Counts the limit here, while clients can still keep the mail. */
  async recipient(client: MailClient, address: string): Promise<void> {
    await this.#step('recipient', client, async (state) => {
      const by = await this.#senderTo(client, address, state);
      const channel = by.key.onlyChannel ?? channelIn(address);
      if (client.targets.some((target) => target.by.key.id === by.key.id && target.channel === channel)) return;
      if (client.targets.length >= MOST_RECIPIENTS) throw new SmtpRefusal(452, 'Too many recipients.');
      if (channel.length > LONGEST_CHANNEL) throw new ApiError('channel_not_found');
      const request = this.#service.throttle.burst({ state }, by.key);
      const { request: _, ...poster } = posterOf(by, request);
      await counted(request, () => this.#service.acceptance.check({ ...poster, request }, plainEvent(channel, 'Mail')));
      client.targets = [...client.targets, { by, poster, channel }];
    });
  }

  /** Makes events of a mail. Answers once they are stored durably. */
  async mail(client: MailClient, receive: (room: MailRoom) => Promise<ReceivedMail>): Promise<string> {
    return this.#step('mail', client, async (state) => {
      const [first] = client.targets;
      if (first === undefined) throw new SmtpRefusal(503, 'The mail has no recipient.');
      state.keyId = first.by.key.id;
      const { key } = first.by;
      const { bytes, isCut, held } = await receive({
        open: (giveWay) => this.#service.bodies.open(keyOwner(key), giveWay),
        discard: (length) => this.#discarding.take(key.workspaceId, length),
      });
      try {
        const nowMs = this.#service.clock.wallMs();
        return await this.#take(client, await this.#thread.run(key, { bytes, isCut, nowMs }), state);
      } finally {
        held.release();
      }
    });
  }

  async #take({ targets }: MailClient, read: MailAnswer | 'too_costly', state: State): Promise<string> {
    if (read === 'too_costly') throw new SmtpRefusal(552, 'The mail took too long to read.');
    if (read === 'unreadable') throw new SmtpRefusal(554, 'The mail cannot be read.');
    if (read === null) throw new SmtpRefusal(554, 'The mail has no text.');
    if ('reply' in read) return String(read.reply);
    const taken: string[] = [];
    for (const target of targets) taken.push(await this.#post(target, read, state));
    return `Accepted as ${taken.join(', ')}`;
  }

  /** Returns the public id, and the parts changed or omitted. */
  async #post(
    { poster, channel }: Target,
    { event: mailed, fallback, shortened, idempotencyKey: ofMail = '' }: FittedPublication,
    state: State,
  ): Promise<string> {
    // A mail to two channels is two events.
    const idempotencyKey = ofMail === '' ? '' : `${ofMail}:${channel}`;
    const { acceptance } = this.#service;
    const { event, wrong } = fit(acceptance, { given: { ...mailed, channel }, fallback, by: poster, idempotencyKey });
    const accepted = await acceptance.accept(poster, event);
    if (accepted.kind === 'replayed') state.replay = accepted.isSame ? 'same' : 'different';
    const names = [...shortened, ...wrong];
    return accepted.event.public_id + (names.length > 0 ? ` (shortened: ${names.join(', ')})` : '');
  }

  async #senderTo(client: MailClient, address: string, state: State): Promise<Integrator> {
    const token = keyIn(address);
    if (token === '') {
      if (client.by === null) throw new SmtpRefusal(530, 'Send an API key, as password or in the address.');
      state.keyId = client.by.key.id;
      return client.by;
    }
    const by = await this.#authorize(state, client, token);
    if (by.key.onlyChannel === null) throw new ApiError('key_not_bound');
    return by;
  }

  /** Counts guesses like HTTP's connection tests, before the look-up; good keys do not count. */
  async #authorize(state: State, { address }: MailClient, token: string): Promise<Integrator> {
    const guess = await this.#service.throttle.connection.key(address);
    const by = await this.#service.authorize({ req: { headers: {} }, state }, ['events:write'], token);
    await guess.takeBack();
    return by;
  }

  async #step<T>(step: SmtpStep, client: MailClient, act: (state: State) => Promise<T>): Promise<T> {
    const startedAtMs = performance.now();
    const state: State = {
      requestId: randomUUID(),
      refused: null,
      keyId: null,
      replay: null,
      headers: [],
      bodyOwner: null,
    };
    let status = 250;
    try {
      return await act(state);
    } catch (error) {
      if (!(error instanceof SmtpRefusal)) this.#logFailure(state.requestId, error);
      client.refusals += 1;
      const refusal = client.refusals > MOST_REFUSALS ? TOO_MANY : refusalOf(error, step);
      status = refusal.responseCode;
      if (state.refused !== null) this.#refusals.log(state.refused, client.address);
      throw refusal;
    } finally {
      // Logs earlier steps only if the client gets no further.
      if (step === 'mail' || status >= 400)
        this.#report(COMMANDS[step], status, performance.now() - startedAtMs, state);
    }
  }

  #report(method: string, status: number, durationMs: number, { requestId, keyId, replay }: State): void {
    const { config, log, onAnswered } = this.#service;
    onAnswered?.({ method, route: ROUTE, status, durationMs });
    if (!config.log.requests) return;
    const [key, again, took] = [keyId ?? undefined, replay ?? undefined, Math.round(durationMs * 10) / 10];
    log.info({ requestId, method, route: ROUTE, key, status, replay: again, durationMs: took });
  }
}
