import { parseDurationMs } from '../config/units.ts';
import type { QueryOf } from '../contract/api-types.ts';
import { type FieldProblem, fieldProblem } from '../contract/details.ts';
import { fieldCheck, fieldPicker } from '../contract/fields.ts';
import { unknownFieldsOf } from '../contract/given-fields.ts';
import { type OperationId, operationOf } from '../contract/operations.ts';
import { readSchema, type Schema } from '../contract/schemas.ts';
import type { Clock } from '../process/clock.ts';
import type { SearchFilter } from '../store/calls.ts';
import { fromTimestamp } from '../values/timestamp.ts';
import { FieldsError, fieldError } from './errors.ts';
import type { Context } from './request-state.ts';

/** More than any address of ours. Node takes up to 30 ms for 16 KB of invalid UTF-8. */
const MOST_PARAMETERS = 128;

/** A query's parameters. Pages have a default size, except the channels of a workspace, which fit in one. */
export type Query<Id extends OperationId> = QueryOf<Id> &
  (Id extends 'listChannels' ? unknown : QueryOf<Id> extends { limit?: number } ? Limit<QueryOf<Id>> : unknown);
type Limit<Parameters> = 'limit' extends keyof Parameters ? { readonly limit: number } : unknown;

/**
 * Reads an operation's query. Throws FieldsError, also for parameters that operation or caller cannot use: an ignored
 * filter would seem to hold.
 */
export function queryReader<Id extends OperationId>(
  id: Id,
  caller: 'person' | 'key' = 'person',
): (context: Context) => Query<Id> {
  const { query } = operationOf(id);
  if (query === undefined) throw new Error(`${id} says nothing of its query`);
  const { schema, reads, withKey = reads } = query;
  const known = caller === 'key' ? withKey : reads;
  const check = fieldCheck(schema);
  const pick = fieldPicker<Query<Id>>(schema);
  const properties = readSchema(schema).properties as Readonly<Record<string, Schema>>;
  const unknownIn = unknownFieldsOf(known);
  const { default: most } = properties.limit ?? {};
  const byDefault = most !== undefined && known.includes('limit') ? { limit: most } : {};
  return ({ querystring }) => {
    const texts = parametersIn(querystring);
    const given = Object.fromEntries(
      known.flatMap((name) => {
        const text = texts.getAll(name).at(-1);
        return text === undefined ? [] : [[name, typed(text, properties[name]?.type)]];
      }),
    );
    const unknown = unknownIn(texts.keys()).map((parameter): FieldProblem => {
      const { field, nearest } = parameter;
      if (reads.includes(field)) return fieldProblem(field, 'not_for_key');
      return nearest === null ? fieldProblem(field, 'unknown') : fieldProblem(field, 'unknown_nearest', { nearest });
    });
    const repeated = known.filter((name) => texts.getAll(name).length > 1);
    const problem = check(given, [...unknown, ...repeated.map((field) => fieldProblem(field, 'repeated'))]);
    if (problem !== null) throw new FieldsError(problem);
    return pick({ ...byDefault, ...given });
  };
}

/** Returns a query's first 128 parameters. */
export function parametersIn(querystring: string): URLSearchParams {
  return new URLSearchParams(querystring.split('&', MOST_PARAMETERS).join('&'));
}

/** Converts digits, true and false if the schema wants a number or boolean. */
function typed(text: string, type: unknown): string | number | boolean {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'integer' && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

/** The fields with the store's arguments in place of times. */
export type Timed<Fields> = Omit<Fields, 'since' | 'from' | 'until' | 'expiresAt'> &
  ('since' extends keyof Fields ? { readonly sinceMs?: number } : unknown) &
  ('from' extends keyof Fields ? { readonly fromMs?: number } : unknown) &
  ('until' extends keyof Fields ? { readonly untilMs?: number } : unknown) &
  ('expiresAt' extends keyof Fields ? { readonly expires?: { readonly atMs: number } } : unknown);

/**
 * Reads times: `since`, `from` and `until` are times or durations; schemas have checked `expiresAt`. Throws
 * FieldsError.
 */
export function timed<Fields extends object>(fields: Fields, clock: Clock): Timed<Fields> {
  const { since, from, until, expiresAt, ...others } = fields as Readonly<Record<string, unknown>>;
  const times = {
    ...(since !== undefined && { sinceMs: momentOf('since', String(since), clock) }),
    ...(from !== undefined && { fromMs: momentOf('from', String(from), clock) }),
    ...(until !== undefined && { untilMs: momentOf('until', String(until), clock) }),
    ...(expiresAt !== undefined && { expires: { atMs: Date.parse(String(expiresAt)) } }),
  };
  return { ...others, ...times } as Timed<Fields>;
}

/** Reads a blank as the unescaped plus of an offset. */
function momentOf(field: string, text: string, clock: Clock): number {
  const backMs = parseDurationMs(text);
  const atMs = backMs === null ? fromTimestamp(text.replace(' ', '+')) : clock.wallMs() - backMs;
  if (atMs !== null) return atMs;
  throw fieldError(fieldProblem(field, 'time_back'));
}

type EventsQuery = Query<'listEvents'> & Query<'listWorkspaceEvents'>;

type AskedEvents = SearchFilter & Pick<EventsQuery, 'workspace' | 'unread'>;

export function eventFilterReader(
  operation: 'listEvents' | 'listWorkspaceEvents',
  clock: Clock,
  caller?: 'key',
): (context: Context) => AskedEvents {
  const read: (context: Context) => EventsQuery = queryReader(operation, caller);
  return (context) => {
    const asked = read(context);
    const { since, until, after, q } = asked;
    if (asked.before !== undefined && after !== undefined) throw fieldError(fieldProblem('after', 'cursors'));
    const among = { since, until, after, q };
    const [conflict] = Object.entries(among).filter(([, value]) => value !== undefined);
    if (asked.scheduled && conflict !== undefined) throw fieldError(fieldProblem(conflict[0], 'not_with_scheduled'));
    return timed(asked, clock);
  };
}
