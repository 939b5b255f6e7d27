import { readBytes } from '../body/read-json.ts';
import { ApiError } from '../errors.ts';
import type { BareContext } from '../request-state.ts';
import { BODY_LIMIT_BYTES } from '../response.ts';

/** Four thousand alerts of Alertmanager's and more. */
const LARGE_BYTES = 4 * 1_048_576;
const PER_KEY = 4;
const TOTAL = 16;
const RETRY_AFTER_MS = 1_000;

/** The text of a body; bytes that are no UTF-8 are replaced. `keyId`: of the key that sends it. */
export type BodyReader = (context: BareContext, keyId: string) => Promise<string>;

/**
 * Reads bodies of senders, which are larger than events where a notification tells of many alerts. Of those that may be
 * larger, few are read at a time, so that they do not fill the memory. Throws as `readBytes` does.
 */
export function largeBodyReader(): BodyReader {
  const reading = new Map<string, number>();
  let total = 0;
  const enter = (keyId: string): void => {
    const ofKey = reading.get(keyId) ?? 0;
    if (ofKey >= PER_KEY || total >= TOTAL) throw new ApiError('overloaded', { retryAfterMs: RETRY_AFTER_MS });
    reading.set(keyId, ofKey + 1);
    total += 1;
  };
  const leave = (keyId: string): void => {
    const left = (reading.get(keyId) ?? 0) - 1;
    total -= 1;
    if (left > 0) reading.set(keyId, left);
    else reading.delete(keyId);
  };
  return async (context, keyId) => {
    if (!mayBeLarge(context)) return (await readBytes(context, BODY_LIMIT_BYTES)).toString();
    enter(keyId);
    try {
      return (await readBytes(context, LARGE_BYTES)).toString();
    } finally {
      leave(keyId);
    }
  };
}

/** What is sent in chunks or compressed does not say how large it is. */
function mayBeLarge({ req: { headers } }: BareContext): boolean {
  const isSaid = headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined;
  return !isSaid || Number(headers['content-length'] ?? 0) > BODY_LIMIT_BYTES;
}
