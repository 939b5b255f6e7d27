import type { Level, Links, PostedEvent, Urgency } from '../push.ts';
import { type FieldCheckOptions, fieldCheck, type InvalidFields } from './fields.ts';

/** What `schemas/event.json` lets through. */
interface EventBody {
  readonly channel: string;
  readonly title: string;
  readonly description?: string;
  readonly image_url?: string;
  readonly url?: string;
  readonly level?: Level;
  readonly delivery_urgency?: Urgency;
  readonly event_type?: string;
  readonly idempotency_key?: string;
}

export type ParsedEvent =
  | { readonly valid: true; readonly event: PostedEvent }
  | { readonly valid: false; readonly problem: InvalidFields };

export type PostedEventParser = (body: Readonly<Record<string, unknown>>) => ParsedEvent;

/** Compiles the way from the JSON object of `POST /v1/events` to a typed event, or to all that is wrong with it. */
export function postedEventParser(options: FieldCheckOptions): PostedEventParser {
  const check = fieldCheck('event', options);
  return (body) => {
    const problem = check(body);
    if (problem !== null) return { valid: false, problem };
    return { valid: true, event: typed(body as unknown as EventBody) };
  };
}

function typed(body: EventBody): PostedEvent {
  return {
    channel: body.channel,
    title: body.title,
    description: body.description || null, // an empty one counts as omitted
    level: body.level ?? 'info',
    urgency: body.delivery_urgency ?? 'standard',
    eventType: body.event_type ?? null,
    idempotencyKey: body.idempotency_key ?? null,
    links: linksOf(body),
  };
}

function linksOf({ url, image_url: imageUrl }: EventBody): Links {
  return { ...(url !== undefined && { url }), ...(imageUrl !== undefined && { imageUrl }) };
}
