import type { FittedPublication } from '../../contract/senders/fitting.ts';
import type { Reply, SenderRequest } from '../../contract/senders/format.ts';
import { entryUrl } from '../../process/entry-points.ts';
import type { KeyRecord } from '../../store/calls.ts';
import { invalid } from '../body/read-json.ts';
import { tooLarge } from '../body/request-bodies.ts';
import { ApiError } from '../errors.ts';
import type { LargeBody, ReadLarge, Refusal } from './large-body-worker.ts';
import { ParsingThread, type ParsingThreadOptions } from './parsing-thread.ts';
import { LARGE_BYTES, type ReceivedBody } from './received-body.ts';

/** The address at which a body is published, and the token in the body itself if there is one. */
export type Place = Pick<LargeBody, 'format' | 'path' | 'tokenInBody'>;

/**
 * Parses bodies of senders that are larger than those of events. Once they are here as a whole, they are parsed in a
 * thread of their own, bounded in time and memory.
 */
export class LargeBodies {
  readonly #thread: ParsingThread<LargeBody, ReadLarge>;

  constructor(options: ParsingThreadOptions = {}) {
    this.#thread = new ParsingThread(entryUrl('http/senders/large-body-worker'), options);
  }

  /** How many threads there are just now. */
  get threads(): number {
    return this.#thread.threads;
  }

  /** Null: there is no text in it. Throws as `readJson` does, also where a body takes too long or too much memory. */
  async publication(
    { bytes: received, isGzip }: Extract<ReceivedBody, { isLarge: true }>,
    { params, query, nowMs, headers }: SenderRequest & { readonly headers: LargeBody['headers'] },
    key: KeyRecord,
    place: Place,
  ): Promise<FittedPublication | Reply | null> {
    // A copy, as what Node received may be part of a larger piece of memory, which would be moved as a whole.
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
      return invalid('The body cannot be decompressed.');
    case 'too_large':
      return tooLarge(LARGE_BYTES);
    case 'too_dense':
      return new ApiError('payload_too_large', { message: 'The body is far too large after decompression.' });
    case 'too_costly':
      return new ApiError('payload_too_large', { message: 'The body has too many values.' });
    case 'wrong_key':
      return new ApiError('unauthenticated');
  }
}
