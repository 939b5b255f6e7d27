import type { PostedEvent } from '../push.ts';
import { fromTimestamp } from '../values/timestamp.ts';
import { type EventBody, typed } from './event-body.ts';
import { bodyCheck, type InvalidFields } from './fields.ts';
import { isBlank } from './given-fields.ts';
import type { FieldProblem } from './names.ts';
import { readSchema } from './schemas.ts';
import { type UnknownField, unknownFieldsOf } from './unknown-fields.ts';

export interface PostedEventOptions {
  /** Schemes of links beside `http` and `https`. */
  readonly urlSchemes?: readonly string[];
  /** The operator's time to live, beyond which no event is sent. */
  readonly ttlMs: number;
  /** Returns the current time. */
  readonly wallMs: () => number;
}

export type ParsedEvent =
  /** `unknown`: the event is only to be checked, and these fields of it mean nothing. Null: it is to be sent. */
  | { readonly valid: true; readonly event: PostedEvent; readonly unknown: readonly UnknownField[] | null }
  | { readonly valid: false; readonly problem: InvalidFields };

/** `header`: the `Idempotency-Key` header, which means the same as the field. `defaults`: for fields that are absent. */
export type PostedEventParser = (body: JsonBody, header?: string, defaults?: EventDefaults | null) => ParsedEvent;

/** Level and urgency of events that name none. */
export type EventDefaults = Pick<EventBody, 'level' | 'delivery_urgency'>;

type JsonBody = Readonly<Record<string, unknown>>;

/** Compiles the parser of `POST /v1/events`: from a JSON object to a typed event, or to all that is wrong with it. */
export function postedEventParser({ urlSchemes, ttlMs, wallMs }: PostedEventOptions): PostedEventParser {
  const unknownFields = unknownFieldsOf(Object.keys(readSchema('event').properties as object));
  const livesTooLong = tooLong(Math.floor(ttlMs / 1_000));
  const rules = (body: JsonBody) => [...livesTooLong(body), ...unfitForLater(body, wallMs)];
  const check = bodyCheck('event', { urlSchemes, rules });
  return (body, header, defaults = null) => {
    const key = header === undefined || isBlank(header) ? undefined : header;
    const otherwise = key === undefined ? defaults : { ...defaults, [KEY]: key };
    const { fields, problem } = check(body, otherwise, ({ [KEY]: given }) =>
      key === undefined || given === key ? [] : [KEYS_DIFFER],
    );
    if (problem !== null) return { valid: false, problem };
    const typedBody = fields as unknown as EventBody;
    return {
      valid: true,
      event: typed(typedBody),
      unknown: typedBody.validate_only ? unknownFields(Object.keys(body)) : null,
    };
  };
}

const KEY = 'idempotency_key';
const KEYS_DIFFER: FieldProblem = {
  field: KEY,
  message: `The ${KEY} field differs from the Idempotency-Key header: send one of them, or the same in both.`,
};

function tooLong(maxS: number) {
  return ({ expires_in: seconds }: JsonBody): readonly FieldProblem[] => {
    if (typeof seconds !== 'number' || seconds <= maxS) return [];
    const message = `The expires_in field must not be greater than ${maxS}, the time to live that the operator has set.`;
    return [{ field: 'expires_in', message }];
  };
}

const LATEST_DAYS = 30;

/** Links would have to be on a disk until then. */
function unfitForLater({ send_at: sendAt, url, image_url: imageUrl }: JsonBody, wallMs: () => number): FieldProblem[] {
  if (sendAt === undefined) return [];
  const atMs = typeof sendAt === 'string' ? fromTimestamp(sendAt) : null;
  const isTooLate = atMs !== null && atMs > wallMs() + LATEST_DAYS * DAY_MS;
  const linked = Object.entries({ url, image_url: imageUrl }).filter(([, link]) => link !== undefined);
  return [
    ...(isTooLate
      ? [{ field: 'send_at', message: `The send_at field must be at most ${LATEST_DAYS} days ahead.` }]
      : []),
    ...linked.map(([field]) => ({
      field,
      message: `The ${field} field must not be there with send_at: links are never stored. Put it into the description, or send the event at its time.`,
    })),
  ];
}

const DAY_MS = 86_400_000;
