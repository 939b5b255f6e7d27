import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { errorDetail } from '../../contract/details.ts';
import type { ClientAddresses } from '../client-address.ts';
import { ApiError, invalidRequest } from '../errors.ts';
import type { BodyBudget, BodyOwner, HeldBody } from '../limits/body-budget.ts';
import type { InFlight } from '../limits/in-flight.ts';
import type { ProvenClients } from '../limits/proven-clients.ts';
import { BodyBytes, type KeptBytes } from './body-bytes.ts';

/** The time for a body without a known key or session. */
const STRANGER_MS = 5_000;

interface BodyParts {
  readonly bodies: BodyBudget;
  readonly clients: ClientAddresses;
  readonly proven: ProvenClients;
}

export interface BodyState {
  readonly inFlight: InFlight;
  isInFlight: boolean;
  /** The share that the body counts against; null: no good key or session yet. */
  bodyOwner: BodyOwner | null;
  body: HeldBody | null;
}

interface Sent {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly state: BodyState;
}

interface Receiving {
  readonly limitBytes: number;
  /** Without it: all. */
  readonly kept?: KeptBytes;
  /** Reads the counted bytes, which are then not kept. */
  readonly reader?: (counted: Readable) => Promise<Buffer>;
}

/** Receives all request bodies, so that every byte counts against the budget. */
export class RequestBodies {
  readonly #parts: BodyParts;
  readonly #strangerMs: number;

  constructor(parts: BodyParts, strangerMs = STRANGER_MS) {
    this.#parts = parts;
    this.#strangerMs = strangerMs;
  }

  /**
   * Returns the body's bytes, counted until the response. Throws `payload_too_large`, `invalid_request` (interrupted),
   * `request_timeout` and `overloaded`.
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

/** Takes bytes; `drop` frees them. */
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

/** Returns a function that stops it and frees the bytes. */
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
  return new ApiError('payload_too_large', { detail: errorDetail('body_too_large', { most: limitBytes / 1024 }) });
}

/** Returns why a body ended early: client-errors.ts may have answered already. */
function brokenOff({ errored }: IncomingMessage): ApiError {
  return errored instanceof ApiError ? errored : invalidRequest('body_incomplete');
}
