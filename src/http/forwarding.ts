import { baseUrlOf } from '../config/config.ts';
import type { ApiSchema, BodyOf, ResponseOf } from '../contract/api-types.ts';
import { API_ERRORS } from '../contract/errors.ts';
import { withPingUrl } from '../contract/heartbeats.ts';
import type { Forward, Operation, OperationError } from '../contract/operations/operation.ts';
import { type DeclaredOperation, OPERATIONS, type OperationId } from '../contract/operations.ts';
import {
  type ActingStore,
  type AnswerOf,
  type ArgsOf,
  type CallName,
  type Heartbeat,
  isRefusal,
  type Reach,
  type Refusal,
} from '../store/calls.ts';
import { livePauses } from '../store/client.ts';
import { byToken } from './auth/api-key.ts';
import { bodyReader, rulesOf } from './body/body-fields.ts';
import { unwrap } from './errors.ts';
import { ISSUES, type Issued } from './issuing.ts';
import { eventFilterReader, type Query, queryReader, type Timed, timed } from './query.ts';
import type { Context, Handler, OperationHandler } from './request-state.ts';
import type { Service } from './service.ts';

/** Operations that say how pushes went. */
const SHOWS_RESULTS: readonly OperationId[] = ['showWorkspaceEvent', 'listMemberEvents'];

type Declared = Operation & { readonly operationId: OperationId; readonly forwards: Forward };
type Caller = { readonly store: ActingStore; readonly by: object };
type Fields = Readonly<Record<string, unknown>>;

export function forwardedRoutes(service: Service): { readonly [Id in ForwardedId]: OperationHandler<Id> } {
  const handlers = OPERATIONS.flatMap((operation) => {
    const { operationId, forwards } = operation;
    return forwards === undefined ? [] : [[operationId, forwarding(service, { ...operation, forwards })]];
  });
  return Object.fromEntries(handlers);
}

/** Chooses by the kind of token if both may ask. */
function forwarding(service: Service, operation: Declared): Handler {
  const { session, scopes } = operation;
  const person = () => forwardingFrom('person', service, operation);
  const key = () => forwardingFrom('key', service, operation);
  if (session === undefined) return key();
  return scopes === undefined ? person() : byToken({ session: person(), key: key() });
}

function forwardingFrom(kind: 'person' | 'key', service: Service, operation: Declared): Handler {
  const { operationId, path, body, answers, errors, forwards } = operation;
  const { call, issues, sealed, named = {} } = forwards;
  const readQuery = queryReaderOf(kind, operation, service);
  const readBody = body === undefined ? undefined : bodyReader(operationId, rulesOf(operationId, service.config));
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name as keyof typeof PATH_ARGUMENTS);
  const statuses = Object.keys(answers).map(Number);
  const show = showerOf(kind, operation, service);
  const pauses = SHOWS_RESULTS.includes(operationId) ? () => pausesOf(service) : undefined;
  return async (context) => {
    const { store, by } = await callerOf(kind, service, operation, context);
    const asked: Fields = { ...(await readBody?.(context)), ...readQuery?.(context) };
    const fields = Object.entries(timed(asked, service.clock)).map(([name, value]) => [named[name] ?? name, value]);
    const parts = inPath.map((name) => [named[name] ?? PATH_ARGUMENTS[name], context.params[name]]);
    const place = sealed && positionIn(service, [operationId, ...parts.map(([, value]) => value)].join('/'), sealed);
    const issued = issues && ISSUES[issues](service.config);
    const args: Fields = { ...Object.fromEntries([...fields, ...parts]), ...issued?.args, ...pauses?.(), ...by };
    const answer: unknown = await store[call as CallName]({ ...args, ...(await place?.open(args)) } as never);
    const shown = show(unwrap(answer, missingOf(errors, answer)));
    const status = isNew(answer) ? statuses.at(-1) : statuses[0];
    if (status === undefined || status === 204) return { status: 204 };
    return { status, body: { ...issued?.shown, ...shown, ...(await place?.seal(shown)) } };
  };
}

/** Adds pauses of the server itself, unknown to the store. */
function pausesOf({ liveRoutes }: Service): Fields {
  return liveRoutes === undefined ? {} : { pauses: livePauses(liveRoutes()) };
}

/** `list`: the positions' owner. `field`: of the query. */
function positionIn({ positions }: Service, list: string, field: 'before' | 'after') {
  return {
    async open({ [field]: sealed }: Fields): Promise<Fields | null> {
      return typeof sealed === 'string' ? { [field]: await positions.open(list, sealed, field) } : null;
    },
    async seal({ next }: Fields): Promise<Fields | null> {
      return typeof next === 'string' ? { next: await positions.seal(list, next) } : null;
    },
  };
}

function queryReaderOf(kind: 'person' | 'key', { operationId, query }: Declared, { clock }: Service) {
  if (operationId === 'listWorkspaceEvents') return eventFilterReader(operationId, clock);
  return query && queryReader(operationId, kind);
}

function isNew(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'created' in answer && answer.created === true;
}

type Missing = Exclude<OperationError, 'invalid_fields'>;

/** Returns the error for what the refusal or the path's end names. */
function missingOf(errors: readonly OperationError[], answer: unknown): Missing {
  const missing = errors.filter(isMissing);
  const named = isRefusal(answer) ? answer.unknown?.of : undefined;
  return missing.find((code) => code === `${named}_not_found`) ?? missing.at(-1) ?? 'not_signed_in';
}

function isMissing(error: OperationError): error is Missing {
  return error !== 'invalid_fields' && API_ERRORS[error].status === 404;
}

async function callerOf(
  kind: 'person' | 'key',
  service: Service,
  { session, forwards: { caller } }: Declared,
  context: Context,
): Promise<Caller> {
  if (kind === 'key') {
    const { store, reach } = await service.authorizeRead(context);
    return { store, by: caller === 'reach' ? { reach } : reach };
  }
  if (session === 'managers') {
    const { store, workspaceId } = await service.manage(context);
    return { store, by: caller === 'workspace' ? { workspaceId } : {} };
  }
  const { store, user, tokenHash } = await service.authenticate(context);
  switch (caller) {
    case 'email':
      return { store, by: { email: user.email } };
    case 'session':
      return { store, by: { userId: user.id, tokenHash } };
    default:
      return { store, by: { userId: user.id } };
  }
}

function showerOf(kind: 'person' | 'key', { forwards: { as, shows } }: Declared, service: Service) {
  const { config } = service;
  const showThing = as?.startsWith('heartbeat') ? heartbeatShower(kind, config) : (thing: unknown) => thing;
  return (answer: unknown): Fields => {
    if (shows !== undefined) return Object.fromEntries(shows.map((name) => [name, (answer as Fields)[name]]));
    if (as === undefined) return answer as Fields;
    const { [as]: things, ...others } = answer as Fields;
    if (Array.isArray(things)) return { ...others, [as]: things.map(showThing) };
    return Array.isArray(answer) ? { [as]: answer.map(showThing), next: null } : { [as]: showThing(answer) };
  };
}

/** Adds the address of pings, which the store does not know. */
function heartbeatShower(kind: 'person' | 'key', config: Service['config']) {
  const baseUrl = baseUrlOf(config);
  return (thing: unknown) => {
    const heartbeat = thing as Heartbeat;
    return withPingUrl(kind === 'key' ? { ...heartbeat, uuid: null } : heartbeat, baseUrl);
  };
}

/** Arguments by parts of a path. */
const PATH_ARGUMENTS = {
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

type ForwardedId = Forwarded['operationId'];

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

type ArgumentsOf<O extends Forwarded> = InQuery<O> & InBody<O> & InPath<O> & IssuedFor<O> & CallerOf<O>;

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
type CallerOf<O extends Forwarded> = O extends { readonly session: 'managers' }
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
