import type { ApiSchema, BodyOf, ResponseOf } from '../contract/api-types.ts';
import type { DeclaredOperation } from '../contract/operations.ts';
import type { AnswerOf, ArgsOf, CallName, Heartbeat, Reach, Refusal } from '../store/calls.ts';
import type { ISSUES, Issued } from './issuing.ts';
import type { Query, Timed } from './query.ts';

/** Arguments by parts of a path. */
export const PATH_ARGUMENTS = {
  workspace: 'workspace',
  channel: 'slug',
  device: 'id',
  email: 'email',
  heartbeat: 'slug',
  key: 'id',
  maintenance: 'id',
  override: 'id',
  passkey: 'id',
  public_id: 'publicId',
  rota: 'slug',
  session: 'id',
  webhook: 'id',
} as const;

type Forwarded = Extract<DeclaredOperation, { readonly forwards: object }>;

export type ForwardedId = Forwarded['operationId'];

/** Does not compile if arguments or answers of a call differ from the operation. */
export type ForwardsFit = None<
  { [O in Forwarded as O['operationId']]: Misfit<O['operationId'], Fits<O>> }[ForwardedId]
>;
type None<Operation extends never> = Operation;
type Misfit<Id, Fit> = Fit extends true ? never : `${Id & string}: ${Fit & string}`;

type Fits<O extends Forwarded> = O['forwards']['call'] extends infer Call extends CallName
  ? Takes<O, ArgsOf<Call>> extends true
    ? Answers<Shown<O, Exclude<AnswerOf<Call>, Refusal>>, BodyIn<ResponseOf<O['operationId']>>>
    : 'arguments'
  : 'call';

/** Rejects fields unknown to the call, which would be ignored. */
type Takes<O extends Forwarded, Args> = [ArgumentsOf<O>] extends [Args]
  ? Exclude<keyof (InQuery<O> & InBody<O> & InPath<O>), keyof Args | Replaced<O>> extends never
    ? true
    : false
  : false;

/** Takes the workspace's id in place of the slug. */
type Replaced<O extends Forwarded> = O['forwards'] extends { readonly caller: 'workspace' } ? 'workspace' : never;

/** Rejects undescribed fields, which must not get out. */
type Answers<Given, Body> = unknown extends Body
  ? true
  : [Given] extends [Body]
    ? Exclude<keyof Given, keyof Body> extends never
      ? true
      : 'fields'
    : 'answer';

type ArgumentsOf<O extends Forwarded> = InQuery<O> & InBody<O> & InPath<O> & IssuedFor<O> & Caller<O>;

type InQuery<O extends Forwarded> = O extends { readonly query: object }
  ? Named<O, Timed<Query<O['operationId']>>>
  : unknown;
type InBody<O extends Forwarded> = O extends { readonly body: string } ? Timed<BodyOf<O['operationId']>> : unknown;
type InPath<O extends Forwarded> = Named<
  O,
  {
    readonly [Name in NamesIn<O['path']> as Name extends keyof NamesOf<O>
      ? Name
      : (typeof PATH_ARGUMENTS)[Name]]: string;
  }
>;
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name & keyof typeof PATH_ARGUMENTS) | NamesIn<Rest>
  : never;
type NamesOf<O extends Forwarded> = O['forwards'] extends { readonly named: infer Names }
  ? Names
  : Record<never, never>;
type Named<O extends Forwarded, Fields> = {
  [Name in keyof Fields as Name extends keyof NamesOf<O> ? NamesOf<O>[Name] & string : Name]: Fields[Name];
};
type IssuedFor<O extends Forwarded, Part extends 'args' | 'shown' = 'args'> = O['forwards'] extends {
  readonly issues: infer Kind extends keyof typeof ISSUES;
}
  ? Issued<Kind>[Part]
  : unknown;
type Caller<O extends Forwarded> = O extends { readonly session: 'managers' }
  ? O['forwards'] extends { readonly caller: 'workspace' }
    ? { readonly workspaceId: number }
    : unknown
  : O extends { readonly session: 'any' }
    ? Person<O['forwards']> | (O extends { readonly scopes: object } ? Key<O['forwards']> : never)
    : Key<O['forwards']>;
type Person<F> = F extends { readonly caller: 'email' }
  ? { readonly email: string }
  : F extends { readonly caller: 'session' }
    ? { readonly userId: number; readonly tokenHash: string }
    : { readonly userId: number };
type Key<F> = F extends { readonly caller: 'reach' } ? { readonly reach: Reach } : Reach;

type BodyIn<Response> = Response extends { readonly status: 204 }
  ? unknown
  : Response extends { readonly body: infer Body }
    ? Body
    : never;
type Shown<O extends Forwarded, Answer> = IssuedFor<O, 'shown'> &
  (O['forwards'] extends { readonly shows: readonly (infer Name)[] }
    ? Pick<Answer, Name & keyof Answer>
    : O['forwards'] extends { readonly as: infer Name extends string }
      ? Answer extends readonly (infer Thing)[]
        ? { readonly [N in Name]: readonly Addressed<Thing>[] } & { readonly next: null }
        : Answer extends { readonly [N in Name]: readonly (infer Thing)[] }
          ? { readonly [N in Name]: readonly Addressed<Thing>[] } & Omit<Answer, Name>
          : { readonly [N in Name]: Addressed<Answer> }
      : Answer);
type Addressed<Thing> = Thing extends Heartbeat ? ApiSchema<'Heartbeat'> : Thing;
