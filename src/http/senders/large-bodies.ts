import { errorDetail } from '../../contract/details.ts';
import type { Reply, SenderRequest } from '../../contract/senders/format.ts';
import type { FittedPublication } from '../../contract/senders/texts.ts';
import { entryUrl } from '../../process/entry-points.ts';
import type { KeyRecord } from '../../store/calls.ts';
import { tooLarge } from '../body/request-bodies.ts';
import { ApiError, invalidRequest } from '../errors.ts';
import type { LargeBody, ReadLarge, Refusal } from './large-body-worker.ts';
import { ParsingThread, type ParsingThreadOptions } from './parsing-thread.ts';
import { LARGE_BYTES, type ReceivedBody } from './received-body.ts';

/** The publication's address, and the body's token if any. */
export type Place = Pick<LargeBody, 'format' | 'path' | 'tokenInBody'>;

/** Parses senders' large bodies, once complete, in a thread bounded in time and memory. */
export class LargeBodies {
  readonly #thread: ParsingThread<LargeBody, ReadLarge>;

  constructor(options: ParsingThreadOptions = {}) {
    this.#thread = new ParsingThread(entryUrl('http/senders/large-body-worker'), options);
  }

  get threads(): number {
    return this.#thread.threads;
  }

  /** Returns null without text. Throws as `readJson`, also for too much time or memory. */
  async publication(
    { bytes: received, isGzip }: Extract<ReceivedBody, { isLarge: true }>,
    { params, query, nowMs, headers }: SenderRequest & { readonly headers: LargeBody['headers'] },
    key: KeyRecord,
    place: Place,
  ): Promise<FittedPublication | Reply | null> {
    // Copies: Node's buffer may belong to larger memory, which would move too.
    const bytes = new Uint8Array(received);
    const request = { params: { ...params }, query: query.toString(), headers, nowMs };
    const read = await this.#thread.run(key, { ...place, ...request, bytes, isGzip });
    if (read === 'too_costly') throw refused(read);
    if (read.kind === 'refused') throw refused(read.why);
    return read.publication;
  }
}

function refused(why: Refusal | 'too_costly'): ApiError {
  switch (why) {
    case 'not_gzip':
      return invalidRequest('body_not_gzip');
    case 'too_large':
      return tooLarge(LARGE_BYTES);
    case 'too_dense':
      return new ApiError('payload_too_large', { detail: errorDetail('body_too_dense') });
    case 'too_costly':
      return new ApiError('payload_too_large', { detail: errorDetail('body_too_costly') });
    case 'wrong_key':
      return new ApiError('unauthenticated');
  }
}
