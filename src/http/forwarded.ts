import type { ApiSchema, BodyOf, ResponseOf } from '../contract/api-types.ts';
import type { DeclaredOperation } from '../contract/operations.ts';
import type { AnswerOf, ArgsOf, CallName, Heartbeat, Reach, Refusal } from '../store/calls.ts';
import type { Query } from './query.ts';

/** The argument of a call that each part of a path is. */
export const PATH_ARGUMENTS = {
  workspace: 'workspace',
  channel: 'slug',
  device: 'id',
  email: 'email',
  heartbeat: 'slug',
  key: 'id',
  passkey: 'id',
  public_id: 'publicId',
  session: 'id',
  webhook: 'id',
} as const;

type Forwarded = Extract<DeclaredOperation, { readonly forwards: object }>;

/** Operations that only forward. */
export type ForwardedId = Forwarded['operationId'];

/** Does not compile while a call takes other arguments than its operation gives, or answers what is not described. */
export type ForwardsFit = None<
  { [O in Forwarded as O['operationId']]: Misfit<O['operationId'], Fits<O>> }[ForwardedId]
>;
type None<Operation extends never> = Operation;
type Misfit<Id, Fit> = Fit extends true ? never : `${Id & string}: ${Fit & string}`;

type Fits<O extends Forwarded> = O['forwards']['call'] extends infer Call extends CallName
  ? [ArgumentsOf<O>] extends [ArgsOf<Call>]
    ? [Shown<O, Exclude<AnswerOf<Call>, Refusal>>] extends [BodyIn<ResponseOf<O['operationId']>>]
      ? true
      : 'answer'
    : 'arguments'
  : 'call';

type ArgumentsOf<O extends Forwarded> = InQuery<O> & InBody<O> & InPath<O['path']> & Caller<O>;

type InQuery<O extends Forwarded> = O extends { readonly query: object } ? Query<O['operationId']> : unknown;
type InBody<O extends Forwarded> = O extends { readonly body: string } ? BodyOf<O['operationId']> : unknown;
type InPath<Path extends string> = {
  readonly [Name in NamesIn<Path> as (typeof PATH_ARGUMENTS)[Name]]: string;
};
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name & keyof typeof PATH_ARGUMENTS) | NamesIn<Rest>
  : never;
type Caller<O extends Forwarded> = O extends { readonly session: 'managers' }
  ? O['forwards'] extends { readonly caller: 'workspace' }
    ? { readonly workspaceId: number }
    : unknown
  : O extends { readonly session: 'any'; readonly forwards: { readonly caller: infer By } }
    ? By extends 'email'
      ? { readonly email: string }
      : { readonly userId: number; readonly tokenHash: string }
    : O extends { readonly session: 'any' }
      ? { readonly userId: number }
      : Reach;

type BodyIn<Response> = Response extends { readonly status: 204 }
  ? unknown
  : Response extends { readonly body: infer Body }
    ? Body
    : never;
type Shown<O extends Forwarded, Answer> = O['forwards'] extends { readonly as: infer Name extends string }
  ? Answer extends readonly (infer Thing)[]
    ? { readonly [N in Name]: readonly Addressed<Thing>[] } & { readonly next: null }
    : { readonly [N in Name]: Addressed<Answer> }
  : Answer;
type Addressed<Thing> = Thing extends Heartbeat ? ApiSchema<'Heartbeat'> : Thing;
