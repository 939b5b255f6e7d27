import { Body } from '../../contract/senders/bodies.ts';
import type { PublishAct, SenderFormat, SenderRequest } from '../../contract/senders/format.ts';
import { findKeyInText } from '../../contract/senders/key-places.ts';
import { inflateBeginning, isCompressed } from '../body/read-json.ts';
import type { Context } from '../request-state.ts';
import { BODY_LIMIT_BYTES } from '../response.ts';

/** The limit of a sender's body, inflated. */
export const LARGE_BYTES = 4 * 1_048_576;

/** The complete body of a sender. Large ones are parsed in another thread. */
export type ReceivedBody =
  | { readonly isLarge: false; readonly body: Body }
  | {
      readonly isLarge: true;
      readonly bytes: Buffer;
      readonly isGzip: boolean;
      /** Inflated. */
      readonly beginning: Buffer;
    };

/** Throws as `readJson`. Keeps only the beginning of plain text. */
export async function receiveBody(
  context: Context,
  { isTextAlone }: PublishAct,
  request: SenderRequest,
): Promise<ReceivedBody> {
  const isGzip = isCompressed(context);
  const isText = isTextAlone?.(request) === true;
  const bytes = await context.state.bodies.receive(context, {
    limitBytes: LARGE_BYTES,
    ...(isText && !isGzip && { kept: { first: BODY_LIMIT_BYTES } }),
  });
  const { beginning, isAll } = isGzip
    ? await inflateBeginning(bytes, BODY_LIMIT_BYTES)
    : { beginning: bytes.subarray(0, BODY_LIMIT_BYTES), isAll: bytes.length <= BODY_LIMIT_BYTES };
  if (isGzip) context.state.body?.take(beginning.length);
  if (isAll || isText) {
    return { isLarge: false, body: new Body(beginning, { contentType: request.header('content-type') }) };
  }
  return { isLarge: true, bytes, isGzip, beginning };
}

/** Returns the part identifying the sender: a small body, or a large body's key. */
export function identifyingBody(received: ReceivedBody, { keys }: SenderFormat): Body {
  if (!received.isLarge) return received.body;
  const { bytes, beginning, isGzip } = received;
  // Never inflates a stranger's whole body.
  const searched = (isGzip ? beginning : bytes).toString('latin1');
  const fields = keys.flatMap((place) =>
    place.in === 'body' ? [[place.name, findKeyInText(searched, place.name)]] : [],
  );
  return new Body(JSON.stringify(Object.fromEntries(fields)));
}
