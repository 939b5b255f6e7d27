import type { components, operations } from '#api';
import type { CamelCase } from '../values/json.ts';
import type { OperationId } from './operations.ts';

/** An API object by its schema's name. */
export type ApiSchema<Name extends keyof components['schemas']> = Frozen<components['schemas'][Name]>;

/** An operation's body by camelCase names. */
export type BodyOf<Id extends OperationId> = Fields<JsonIn<NonNullable<operations[Id]['requestBody']>>>;

/** An operation's query by camelCase names. */
export type QueryOf<Id extends OperationId> = Fields<Parameters<operations[Id]['parameters']['query']>>;
type Parameters<Query> = [NonNullable<Query>] extends [never] ? Record<never, never> : NonNullable<Query>;

/** Status and body of an operation's successes. */
export type ResponseOf<Id extends OperationId> = Successes<operations[Id]['responses']>;

type SuccessStatus = 200 | 201 | 202 | 204 | 303 | 304;
type Successes<Responses> = {
  [Status in keyof Responses & SuccessStatus]: { readonly status: Status } & BodyIn<Responses[Status]>;
}[keyof Responses & SuccessStatus];
type BodyIn<Response> = [JsonIn<Response>] extends [never]
  ? { readonly body?: never }
  : { readonly body: Frozen<JsonIn<Response>> };

type JsonIn<Part> = Part extends { content: { 'application/json': infer Body } } ? Body : never;

type Fields<Body> = { readonly [Name in keyof Body as CamelCase<Name & string>]: Frozen<Body[Name]> };

type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value;
