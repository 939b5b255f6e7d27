import type { PostedEvent } from '../push.ts';
import { type EventBody, typed } from './event-body.ts';
import { fieldCheck, type InvalidFields } from './fields.ts';
import type { FieldProblem } from './names.ts';
import { readSchema } from './schemas.ts';
import { type UnknownField, unknownFieldsOf } from './unknown-fields.ts';

export interface PostedEventOptions {
  /** Schemes of links beside `http` and `https`. */
  readonly urlSchemes?: readonly string[];
  /** The operator's time to live, beyond which no event is sent. */
  readonly ttlMs: number;
}

export type ParsedEvent =
  /** `unknown`: the event is only to be checked, and these fields of it mean nothing. Null: it is to be sent. */
  | { readonly valid: true; readonly event: PostedEvent; readonly unknown: readonly UnknownField[] | null }
  | { readonly valid: false; readonly problem: InvalidFields };

/** `header`: the `Idempotency-Key` header, which means the same as the field. */
export type PostedEventParser = (body: JsonBody, header?: string) => ParsedEvent;

type JsonBody = Readonly<Record<string, unknown>>;

/** Compiles the parser of `POST /v1/events`: from a JSON object to a typed event, or to all that is wrong with it. */
export function postedEventParser({ urlSchemes, ttlMs }: PostedEventOptions): PostedEventParser {
  const unknownFields = unknownFieldsOf(Object.keys(readSchema('event').properties as object));
  const check = fieldCheck('event', { urlSchemes, rules: livesTooLong(Math.floor(ttlMs / 1_000)) });
  return (body, header) => {
    const whole = header === undefined || Object.hasOwn(body, KEY) ? body : { ...body, [KEY]: header };
    const problem = check(whole, header === undefined || whole[KEY] === header ? [] : [KEYS_DIFFER]);
    if (problem !== null) return { valid: false, problem };
    const typedBody = whole as unknown as EventBody;
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

function livesTooLong(maxS: number) {
  return ({ expires_in: seconds }: JsonBody): readonly FieldProblem[] => {
    if (typeof seconds !== 'number' || seconds <= maxS) return [];
    const message = `The expires_in field must not be greater than ${maxS}, the time to live that the operator has set.`;
    return [{ field: 'expires_in', message }];
  };
}
