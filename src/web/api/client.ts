import type { components, paths } from '#api';
import { browserNow, learnTime } from '../clock.ts';

type Schemas = components['schemas'];
/** A thing of the API, by schema name. */
export type Schema<Name extends keyof Schemas> = Schemas[Name];

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
/** The addresses that take a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];
type Operation<M extends Method, P extends PathOf<M>> = paths[P] extends Record<M, infer O> ? O : never;

type JsonIn<Part> = Part extends { content: { 'application/json': infer Body } } ? Body : never;
type Parameter<O, Where extends string> = O extends { parameters: infer All }
  ? Where extends keyof All
    ? NonNullable<All[Where]>
    : never
  : never;

/** A call's path parameters, query and body. */
export type Input<M extends Method, P extends PathOf<M>> = Given<'path', Parameter<Operation<M, P>, 'path'>> &
  Given<'query', LeftOut<Parameter<Operation<M, P>, 'query'>>> &
  Given<'body', Operation<M, P> extends { requestBody?: infer Body } ? LeftOut<JsonIn<Body>> : never>;
/** Optional properties may be undefined, and are then not sent. */
type LeftOut<Values> = {
  [N in keyof Values]: Record<never, never> extends Pick<Values, N> ? Values[N] | undefined : Values[N];
};
type Given<Name extends string, Value> = [Value] extends [never]
  ? { readonly [N in Name]?: undefined }
  : Record<never, never> extends Value
    ? { readonly [N in Name]?: Value }
    : { readonly [N in Name]: Value };

/** A success's data; undefined without a body. */
export type Output<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { responses: infer Responses } ? Good<Responses> : never;
type Good<Responses> = {
  [Status in keyof Responses & (200 | 201 | 202)]: JsonIn<Responses[Status]>;
} extends infer Bodies
  ? [keyof Bodies] extends [never]
    ? undefined
    : Bodies[keyof Bodies]
  : never;

interface AnyInput {
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

/** The number of pending answers, and the positions of earlier ones, where a stream begins. */
export const answers = { awaited: 0, positions: new Set<string>() };

/** The delay of the notice about a missing answer, in ms. */
const ACTION_MS = 8_000;
/** Reads are retried, and may use a slow line. */
const READ_MS = 15_000;

/** Calls the API of this page's server. The browser sends the session's cookie. */
export async function request(method: Method, path: string, { path: parts, query, body }: AnyInput): Promise<Response> {
  const address = Object.entries(parts ?? {}).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    `/api${path}`,
  );
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  answers.awaited += 1;
  const askedMs = browserNow();
  try {
    const response = await fetch(search.size > 0 ? `${address}?${search}` : address, {
      method: method.toUpperCase(),
      // The limit includes the response's body.
      signal: AbortSignal.timeout(method === 'get' ? READ_MS : ACTION_MS),
      ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    learnTime(response.headers, askedMs, browserNow());
    const position = response.headers.get('Last-Event-ID');
    if (position !== null) answers.positions.add(position);
    return response;
  } finally {
    answers.awaited -= 1;
  }
}

/** Returns the earliest position (`1b3f9c-17`); null: none, or of different servers. */
export function firstOf(positions: Iterable<string>): string | null {
  const parts = [...positions].map((position) => position.split('-'));
  const numbers = parts.map(([, number]) => Number(number));
  const [run, ...others] = new Set(parts.map(([server]) => server));
  return run === undefined || others.length > 0 ? null : `${run}-${Math.min(...numbers)}`;
}
