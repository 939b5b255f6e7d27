import type { FittedPublication } from '../../contract/senders/fitting.ts';
import type { Reply } from '../../contract/senders/format.ts';
import { entryUrl } from '../../process/entry-points.ts';
import type { KeyRecord } from '../../store/calls.ts';
import { invalid, isCompressed } from '../body/read-json.ts';
import { tooLarge } from '../body/request-bodies.ts';
import { ApiError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import { BODY_LIMIT_BYTES } from '../response.ts';
import { LARGE_BYTES, type LargeBody, type ReadLarge, type Refusal } from './large-body-worker.ts';
import { ParsingThread, type ParsingThreadOptions } from './parsing-thread.ts';

/** Where a body is published: the format's name and the address's path in it. */
export type Place = Pick<LargeBody, 'format' | 'path'>;

/**
 * Reads bodies of senders that may be larger than those of events, as where a notification has many alerts. Once they
 * are here as a whole, they are parsed in a thread of their own, bounded in time and memory.
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
  async publication(context: Context, key: KeyRecord, place: Place): Promise<FittedPublication | Reply | null> {
    const isGzip = isCompressed(context);
    const received = await context.state.bodies.receive(context, { limitBytes: LARGE_BYTES });
    // A copy, as what Node received may be part of a larger piece of memory, which would be moved as a whole.
    const bytes = new Uint8Array(received);
    const read = await this.#thread.run(key, { ...place, params: { ...context.params }, bytes, isGzip });
    if (read === 'too_costly') throw refused(read);
    if (read.kind === 'refused') throw refused(read.why);
    return read.publication;
  }
}

/** What is sent in chunks or compressed does not say how large it is. */
export function mayBeLarge({ req: { headers } }: Context): boolean {
  const isSaid = headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined;
  return !isSaid || Number(headers['content-length'] ?? 0) > BODY_LIMIT_BYTES;
}

function refused(why: Refusal): ApiError {
  switch (why) {
    case 'not_gzip':
      return invalid('The body cannot be decompressed.');
    case 'too_large':
      return tooLarge(LARGE_BYTES);
    case 'too_dense':
      return new ApiError('payload_too_large', { message: 'The body inflates to far more than was sent.' });
    case 'too_costly':
      return new ApiError('payload_too_large', { message: 'The body holds too many values.' });
  }
}
