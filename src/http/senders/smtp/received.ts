import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { SMTPServerDataStream } from 'smtp-server';
import { BodyBytes } from '../../body/body-bytes.ts';
import { ApiError, errorResponse } from '../../errors.ts';
import type { HeldBody } from '../../limits/body-budget.ts';

export interface MailRoom {
  /** Begins to count a mail. Throws `overloaded`, as does the stream if the mail gives way. */
  open(giveWay: (reason: ApiError) => void): HeldBody;
  /** Counts dropped bytes. Resolves when more may come. */
  discard(bytes: number): Promise<void>;
}

/** A mail, counted until released. */
export interface ReceivedMail {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether more came than is kept. */
  readonly isCut: boolean;
  readonly held: HeldBody;
}

/** Yields after this many bytes: fast clients would block the event loop for 90 ms. */
const TURN_BYTES = 65_536;
/** A workspace's limit for dropped bytes. A mebibyte takes 10 ms of the HTTP thread. */
const DISCARDED_BYTES_PER_SECOND = 4 * 1_048_576;

/** Paces a workspace's mails by dropped bytes. */
export class Discarding {
  /** The time of each workspace's next bytes. */
  readonly #untilMs = new Map<number, number>();

  async take(workspaceId: number, bytes: number): Promise<void> {
    const nowMs = performance.now();
    const startMs = Math.max(this.#untilMs.get(workspaceId) ?? nowMs, nowMs);
    const untilMs = startMs + (bytes * 1_000) / DISCARDED_BYTES_PER_SECOND;
    if (untilMs === nowMs) return;
    this.#untilMs.set(workspaceId, untilMs);
    await pause(untilMs - nowMs);
    if (this.#untilMs.get(workspaceId) === untilMs) this.#untilMs.delete(workspaceId);
  }
}

export function tooLarge(most: number): SmtpRefusal {
  return new SmtpRefusal(552, `The mail is larger than ${most / 1_048_576} MiB.`);
}

/**
 * Receives a mail, even in a million pieces. Keeps the first bytes (the text) and reads the rest slowly. Rejects
 * without room, after a break, or if the stream is destroyed for not ending. The workspace's next mails are then read
 * later.
 */
export async function receive(stream: SMTPServerDataStream, keptBytes: number, room: MailRoom): Promise<ReceivedMail> {
  let held: HeldBody | null = null;
  let size = 0;
  await room.discard(0);
  try {
    held = room.open((reason) => stream.destroy(reason));
    const bytes = new BodyBytes(held, { first: keptBytes });
    let turnBytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes.add(chunk);
      size += chunk.length;
      turnBytes += chunk.length;
      if (turnBytes < TURN_BYTES) continue;
      await (size > keptBytes ? room.discard(turnBytes) : nextTurn());
      turnBytes = 0;
    }
    held.finish();
    return { bytes: new Uint8Array(bytes.whole()), isCut: size > keptBytes, held };
  } catch (error) {
    held?.release();
    void room.discard(Math.min(size, keptBytes));
    // This reply ends the connection, so the rest is not read (RFC 5321, section 3.8).
    throw error instanceof ApiError ? new SmtpRefusal(421, error.message) : error;
  }
}

/** An SMTP answer other than 250; smtp-server sends code and message. */
export class SmtpRefusal extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, message: string) {
    super(message);
    this.name = 'SmtpRefusal';
    this.responseCode = responseCode;
  }
}

/** A misplaced key is the recipient's error (RFC 4954, section 6). */
export type SmtpStep = 'auth' | 'recipient' | 'mail';

/** Returns the SMTP reply for an HTTP error: 4xx to retry (for days), 5xx not to. */
export function refusalOf(error: unknown, step: SmtpStep): SmtpRefusal {
  if (error instanceof SmtpRefusal) return error;
  const { status, body } = errorResponse(error);
  const { message } = body as { readonly message: string };
  return new SmtpRefusal(codeOf(status, step), message);
}

function codeOf(status: number, step: SmtpStep): number {
  switch (status) {
    case 401:
    case 403:
      return step === 'auth' ? 535 : 550;
    case 404:
      return 550;
    case 413:
      return 552;
    case 429:
      // Minutes and months pass: a temporary error.
      return step === 'auth' ? 454 : 452;
    default:
      return status >= 500 ? 451 : 554;
  }
}
