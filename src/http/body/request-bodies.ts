import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { ClientAddresses } from '../client-address.ts';
import { ApiError } from '../errors.ts';
import type { BodyBudget, BodyOwner, HeldBody } from '../limits/body-budget.ts';
import type { InFlight } from '../limits/in-flight.ts';
import type { ProvenClients } from '../limits/proven-clients.ts';
import { BodyBytes, type KeptBytes } from './body-bytes.ts';

/** How long a body may take of a client that has shown no key and no session. */
const STRANGER_MS = 5_000;

/** The parts that all requests share. */
export interface BodyParts {
  readonly bodies: BodyBudget;
  readonly clients: ClientAddresses;
  readonly proven: ProvenClients;
}

/** The state of the body of a request. */
export interface BodyState {
  /** The limit on requests in flight that the request counts against. */
  readonly inFlight: InFlight;
  isInFlight: boolean;
  /** Whose share the body counts against; null: the client has shown no good key or session yet. */
  bodyOwner: BodyOwner | null;
  /** Set once the body is being received. */
  body: HeldBody | null;
}

interface Sent {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly state: BodyState;
}

export interface Receiving {
  readonly limitBytes: number;
  /** Without it: all. */
  readonly kept?: KeptBytes;
  /** Reads the counted bytes, instead of them being kept as they come. */
  readonly reader?: (counted: Readable) => Promise<Buffer>;
}

/** Receives the bodies of requests. No other code does, so each of them counts against the budget. */
export class RequestBodies {
  readonly #parts: BodyParts;
  readonly #strangerMs: number;

  constructor(parts: BodyParts, strangerMs = STRANGER_MS) {
    this.#parts = parts;
    this.#strangerMs = strangerMs;
  }

  /**
   * The bytes of a body as they were sent. They count until the request is answered. Throws `payload_too_large`,
   * `invalid_request` if the body breaks off, `request_timeout`, and `overloaded` if there is no room for it.
   */
  async receive({ req, res, state }: Sent, { limitBytes, kept, reader }: Receiving): Promise<Buffer> {
    if (Number(req.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
    state.inFlight.leave(state);
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const isStranger = state.bodyOwner === null;
    const timeOut = (): void => reject(new ApiError('request_timeout'));
    const timer = isStranger ? setTimeout(timeOut, this.#strangerMs) : undefined;
    let stop = (): void => {};
    try {
      const held = this.#parts.bodies.open(this.#ownerOf(req, state), reject);
      state.body = held;
      if (req.headers.expect !== undefined) res.writeContinue();
      const sink = reader
        ? readerSink(held, reader, { resolve, reject })
        : keepingSink(new BodyBytes(held, kept), resolve);
      stop = collect(req, sink, limitBytes, reject);
      const received = await promise;
      held.finish();
      if (!isStranger) this.#parts.proven.addRequest(req);
      state.inFlight.enter(state);
      return received;
    } catch (error) {
      // The rest of the body is not read.
      if (!req.complete) res.shouldKeepAlive = false;
      state.body?.release();
      throw error;
    } finally {
      stop();
      clearTimeout(timer);
    }
  }

  /** The request is answered. */
  answered(request: IncomingMessage, { body, bodyOwner }: BodyState): void {
    body?.release();
    if (bodyOwner === null) return;
    const { clients, proven } = this.#parts;
    proven.addNetwork(clients.networkOf(request));
    proven.addRequest(request);
  }

  #ownerOf(request: IncomingMessage, { bodyOwner }: BodyState): BodyOwner {
    const { bodies, clients } = this.#parts;
    return bodyOwner ?? bodies.strangerOwner(clients.networksOf(request));
  }
}

interface Settle {
  readonly resolve: (bytes: Buffer) => void;
  readonly reject: (reason: unknown) => void;
}

/** Takes the bytes of a body. `drop` lets go of them. */
interface Sink {
  /** Counts them first. Throws `overloaded`. */
  add(chunk: Buffer): void;
  end(): void;
  drop?(): void;
}

function keepingSink(bytes: BodyBytes, resolve: Settle['resolve']): Sink {
  return { add: (chunk) => bytes.add(chunk), end: () => resolve(bytes.whole()) };
}

function readerSink(held: HeldBody, reader: (counted: Readable) => Promise<Buffer>, { resolve, reject }: Settle): Sink {
  const counted = new PassThrough();
  reader(counted).then(resolve, reject);
  return {
    add(chunk) {
      held.take(chunk.length);
      counted.write(chunk);
    },
    end: () => void counted.end(),
    drop: () => void counted.destroy(),
  };
}

/** Returns what ends it, and lets go of the bytes. */
function collect(request: IncomingMessage, into: Sink, limitBytes: number, reject: Settle['reject']): () => void {
  let sink: Sink | null = into;
  let size = 0;
  const take = (chunk: Buffer): void => {
    size += chunk.length;
    try {
      if (size > limitBytes) throw tooLarge(limitBytes);
      sink?.add(chunk);
    } catch (error) {
      stop();
      reject(error);
    }
  };
  const stop = (): void => {
    sink?.drop?.();
    sink = null;
    request.off('data', take);
    if (!request.readableEnded) request.pause();
  };
  const breakOff = (): void => {
    if (!request.readableEnded) reject(brokenOff(request));
  };
  if (request.destroyed) breakOff();
  request
    .on('data', take)
    .once('end', () => sink?.end())
    .once('error', breakOff)
    .once('close', breakOff);
  return stop;
}

export function tooLarge(limitBytes: number): ApiError {
  return new ApiError('payload_too_large', { message: `The body is larger than ${limitBytes / 1024} KiB.` });
}

/** Why a body ended too early: the error that client-errors.ts has answered with, if it has. */
function brokenOff({ errored }: IncomingMessage): ApiError {
  return errored instanceof ApiError
    ? errored
    : new ApiError('invalid_request', { message: 'The body is incomplete: the connection ended early.' });
}
