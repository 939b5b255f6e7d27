import type { PostedEvent } from '../push.ts';
import { isJsonObject } from '../values/json.ts';
import { fromTimestamp } from '../values/timestamp.ts';
import { type FieldProblem, fieldProblem } from './details.ts';
import { type EventBody, typed } from './event-body.ts';
import { bodyCheck, type InvalidFields } from './fields.ts';
import { isBlank, type UnknownField, unknownFieldsOf } from './given-fields.ts';
import { readSchema } from './schemas.ts';

interface PostedEventOptions {
  /** Link schemes besides `http` and `https`. */
  readonly urlSchemes?: readonly string[];
  readonly ttlMs: number;
  readonly wallMs: () => number;
}

export type ParsedEvent =
  /** `unknown`: meaningless fields, of an event only to check. Null: to send. */
  | { readonly valid: true; readonly event: PostedEvent; readonly unknown: readonly UnknownField[] | null }
  | { readonly valid: false; readonly problem: InvalidFields };

/** `header`: `Idempotency-Key`, equal to the field. `defaults`: of absent fields. */
export type PostedEventParser = (body: JsonBody, header?: string, defaults?: EventDefaults | null) => ParsedEvent;

export type EventDefaults = Pick<EventBody, 'level' | 'delivery_urgency'>;

type JsonBody = Readonly<Record<string, unknown>>;

/** Compiles the parser of `POST /v1/events`, which returns a typed event or all faults. */
export function postedEventParser({ urlSchemes, ttlMs, wallMs }: PostedEventOptions): PostedEventParser {
  const unknownFields = unknownFieldsOf(Object.keys(readSchema('event').properties as object));
  const rules = (body: JsonBody) => [...unfitForLater(body, wallMs), ...unfitData(body)];
  const check = bodyCheck('event', { urlSchemes, maxima: { expires_in: Math.floor(ttlMs / 1_000) }, rules });
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
const KEYS_DIFFER = fieldProblem(KEY, 'keys_differ');

const LATEST_DAYS = 30;

/** Rejects links and `data`, which would need a disk. */
function unfitForLater(body: JsonBody, wallMs: () => number): FieldProblem[] {
  const { send_at: sendAt } = body;
  if (sendAt === undefined) return [];
  const atMs = typeof sendAt === 'string' ? fromTimestamp(sendAt) : null;
  const isTooLate = atMs !== null && atMs > wallMs() + LATEST_DAYS * DAY_MS;
  const { data } = body;
  const hasNoData = isJsonObject(data) && Object.keys(data).length === 0;
  const unstored = ['url', 'image_url', ...(hasNoData ? [] : ['data'])].filter((field) => body[field] !== undefined);
  return [
    ...(isTooLate ? [fieldProblem('send_at', 'days_ahead', { most: LATEST_DAYS })] : []),
    ...unstored.map((field) => fieldProblem(field, 'unstored')),
  ];
}

const DAY_MS = 86_400_000;

const MAX_DATA_BYTES = 2_048;
const MAX_NAME_LENGTH = 64;

/** The schema cannot count bytes, and shows a plain map. */
function unfitData({ data }: JsonBody): FieldProblem[] {
  if (!isJsonObject(data)) return [];
  const names = Object.keys(data);
  const values = Object.values(data);
  // The schema rejects others, perhaps too deep for JSON.stringify.
  if (!values.every((value) => typeof value === 'string')) return [];
  const texts = [...names, ...values];
  return [
    ...(names.every(isName) ? [] : [fieldProblem('data', 'data_names', { most: MAX_NAME_LENGTH })]),
    ...(texts.every((text) => text.isWellFormed()) ? [] : [fieldProblem('data', 'well_formed')]),
    ...(jsonBytes(data) > MAX_DATA_BYTES ? [fieldProblem('data', 'data_size', { most: MAX_DATA_BYTES })] : []),
  ];
}

function isName(name: string): boolean {
  return name !== '' && [...name].length <= MAX_NAME_LENGTH;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
