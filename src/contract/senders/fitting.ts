import type { JsonObject } from '../../values/json.ts';
import type { Publication, PublishAct, Reply, SenderRequest } from './format.ts';
import { fitTexts } from './texts.ts';

/** A publication within our limits. Plain data. */
export interface FittedPublication
  extends Pick<Publication, 'fallback' | 'notification' | 'idempotencyKey' | 'status' | 'repeated'> {
  readonly event: JsonObject;
  /** Shortened parts: fields of the event, lists in the body. */
  readonly shortened: readonly string[];
}

/** Returns null for a request without text. */
export async function fittedPublication(
  { publish }: Pick<PublishAct, 'publish'>,
  request: SenderRequest,
): Promise<FittedPublication | Reply | null> {
  const publication = await publish(request);
  return publication === null || 'reply' in publication ? publication : fittedTo(publication);
}

/** Fits a publication not made of a request. */
export function fittedTo({
  event,
  fallback,
  cut = [],
  notification,
  idempotencyKey,
  status,
  repeated,
}: Publication): FittedPublication {
  const { fitted, shortened } = fitTexts(event);
  return {
    event: fitted,
    ...(fallback !== undefined && { fallback }),
    shortened: [...shortened, ...cut],
    ...(notification !== undefined && { notification }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(status !== undefined && { status }),
    ...(repeated !== undefined && { repeated }),
  };
}
