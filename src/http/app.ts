import type { RequestListener } from 'node:http';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Operation } from '../contract/operations/operation.ts';
import { OPERATIONS, type OperationId } from '../contract/operations.ts';
import { SENDERS_BASE } from '../contract/senders/names.ts';
import { withoutWords } from '../process/problem.ts';
import { isByPerson } from './auth/api-key.ts';
import { RequestBodies } from './body/request-bodies.ts';
import { ApiError } from './errors.ts';
import { forwardedRoutes } from './forwarding.ts';
import { compressed } from './kept.ts';
import type { BodyBudget } from './limits/body-budget.ts';
import { InFlight } from './limits/in-flight.ts';
import type { ProvenClients } from './limits/proven-clients.ts';
import { referenceRoute } from './reference/page.ts';
import {
  type BareContext,
  type Context,
  type Handler,
  newRequestState,
  type OperationHandler,
  type RequestState,
  type ResponseTo,
} from './request-state.ts';
import { type Respond, responder } from './responder.ts';
import type { HttpResponse } from './response.ts';
import { calendarRoutes, deviceRoutes, inboxRoutes, onCallRoutes, receiptRoutes, streamRoutes } from './routes/app.ts';
import { managedDeviceRoutes, managedEventRoutes, memberRoutes, statisticsRoutes } from './routes/dashboard.ts';
import { eventRoutes } from './routes/events.ts';
import { alertRoutes, maintenanceRoutes, reachRoutes } from './routes/integrators.ts';
import { oidcRoutes } from './routes/oidc.ts';
import { type PingRoute, pingRoutes } from './routes/pings.ts';
import { healthRoutes, openApiRoutes } from './routes/service.ts';
import { passkeyRoutes, sessionRoutes, signInRoutes } from './routes/session.ts';
import { describeErrors, type SenderRoute, senderRoutes, tidyPath } from './senders/routes.ts';
import type { MailService } from './senders/smtp/intake.ts';
import { type AppDeps, createService, type Service } from './service.ts';
import type { Streams } from './streams/streams.ts';
import { missingPage, webRoutes } from './web/routes.ts';

const BASE = '/api';
const EVENTS = `${BASE}/v1/events`;
const MAX_IN_FLIGHT = 4_096;

export interface App {
  /** The part of Koa that Node's server needs. */
  callback(): RequestListener;
  /** Told what the store does not report: settled pushes, and the stop. */
  readonly streams: Pick<Streams, 'settled' | 'endAll' | 'finish' | 'count'>;
  /** The memory for bodies, for all listeners. */
  readonly bodies: BodyBudget;
  readonly proven: ProvenClients;
  readonly mail: MailService;
}

export function createApp(deps: AppDeps): App {
  const service = createService(deps);
  const inFlight = new InFlight(deps.maxInFlight ?? MAX_IN_FLIGHT);
  const limits = { inFlight, bodies: new RequestBodies(service, deps.strangerMs) };
  const respond = responder({ ...deps, clients: service.clients });
  const handlers = createHandlers(service);
  const router = routerOf(
    handlers,
    [...senderRoutes(service), ...pingRoutes(service), ...calendarRoutes(service)],
    pagesOf(deps),
  );
  const others = frame({ router, respond, limits, deps }).callback();
  const post = named(EVENTS, counted(handlers.postEvent));
  const take: RequestListener = (req, res) => {
    deps.untrustedProxy?.look(req);
    if (req.url !== EVENTS || req.method !== 'POST') return others(req, res);
    const context: BareContext = { req, res, state: newRequestState(req, limits) };
    return respond(context, () => post(context));
  };
  const { streams, bodies, proven } = service;
  return { callback: () => take, streams, bodies, proven, mail: { ...service, store: deps.store } };
}

interface Frame {
  readonly router: Router<RequestState>;
  readonly respond: Respond;
  readonly limits: Pick<RequestState, 'inFlight' | 'bodies'>;
  readonly deps: Pick<AppDeps, 'config' | 'log' | 'web'>;
}

/** Koa for all but posts of events, which it would slow by 42 µs of 270. */
function frame({ router, respond, limits, deps: { config, log, web } }: Frame): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.use((context, next) => {
    context.respond = false;
    context.state = newRequestState(context.req, limits);
    return respond(context, next);
  });
  app.use(withTidyPath);
  app.use(atSenderHosts(router, config.senders.hosts));
  app.use(describeErrors);
  app.use(onlyListedMethods(router));
  app.use(router.routes() as Middleware<RequestState>);
  app.use(notFound(web));
  app.on('error', (error) => log.debug({ error: withoutWords(error) }, 'connection error'));
  return app;
}

/** `foreign`: addresses in the form of other programs. */
function routerOf(
  handlers: Handlers,
  foreign: readonly (SenderRoute | PingRoute)[],
  pages: ReadonlyMap<string, Handler>,
): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  for (const operation of OPERATIONS) {
    const { operationId, method, path, isOutsideBase, always, uncompressed } = operation;
    const own = handlers[operationId];
    const handler = method === 'get' && !uncompressed ? compressed(own) : own;
    const pattern = (isOutsideBase ? '' : BASE) + path.replaceAll(/{(\w+)}/g, ':$1');
    router[method](pattern, named(pattern, forCallers(operation, always ? handler : counted(handler))));
  }
  for (const { method, pattern, handler } of foreign) {
    router[method](pattern, named(pattern, counted(handler)));
  }
  for (const [pattern, handler] of pages) router.get(pattern, named(pattern, handler));
  return router;
}

function pagesOf({ web, config }: AppDeps): ReadonlyMap<string, Handler> {
  return new Map(web ? [...webRoutes(web), ['/docs', referenceRoute(config, web)]] : []);
}

/** Requires a fresh proof for operations with the error `confirm_identity`; see `requireProof`. */
function forCallers(operation: Operation, handler: Handler): Handler {
  const asksProof = operation.errors.includes('confirm_identity');
  return (context) => {
    Object.assign(context.state, { asksProof, isForPeople: isByPerson(operation, context.req) });
    return handler(context);
  };
}

function named<C extends BareContext>(pattern: string, handler: Handler<HttpResponse, C>): Handler<HttpResponse, C> {
  return (context) => {
    context.state.route = pattern;
    return handler(context);
  };
}

function counted<C extends BareContext>(handler: Handler<HttpResponse, C>): Handler<HttpResponse, C> {
  return (context) => {
    context.state.inFlight.enter(context.state);
    return handler(context);
  };
}

/** Tolerates extra slashes in addresses of other programs only. */
function withTidyPath(context: Context, next: () => Promise<unknown>): Promise<unknown> {
  const path = tidyPath(context.path);
  if (path !== context.path && FOREIGN.test(path)) context.path = path;
  return next();
}

const FOREIGN = /^\/(?:senders|ping)\//;

/** Serves a format at the root of its host, behind our own addresses. */
function atSenderHosts(router: Router<RequestState>, hosts: AppDeps['config']['senders']['hosts']): Middleware {
  return (context, next) => {
    const path = pathAtHost(context, context.path, hosts);
    if (path === null) return next();
    const ours = router.match(context.path, context.method);
    const isTheirs = ours.path.length === 0 || (!ours.route && router.match(path, context.method).route);
    if (isTheirs) context.path = path;
    return next();
  };
}

/** Rejects other methods. The router adds HEAD to each GET. */
function onlyListedMethods(router: Router<RequestState>): Middleware<RequestState> {
  return (context, next) => {
    const layers = mostExact(router.match(context.path, context.method).path);
    const methods = [...new Set(layers.flatMap((layer) => layer.methods))];
    if (methods.length === 0 || methods.includes(context.method)) return next();
    context.state.route = String(layers[0]?.path);
    throw new ApiError('method_not_allowed', { headers: { Allow: methods.join(', ') } });
  };
}

/** Prefers fewest variables: `members/me` is no member "me". */
function mostExact<L extends { readonly paramNames: readonly unknown[] }>(layers: readonly L[]): readonly L[] {
  const fewest = Math.min(...layers.map(({ paramNames }) => paramNames.length));
  return layers.filter(({ paramNames }) => paramNames.length === fewest);
}

/** Gives a person who followed a link the web app, which explains and leads home. */
function notFound(web: AppDeps['web']): Handler {
  return (context) => {
    if (web && isForPage(context)) return missingPage(context, web);
    throw new ApiError('route_not_found');
  };
}

function isForPage({ method, path, req }: Context): boolean {
  const isOfApi = path === BASE || path.startsWith(`${BASE}/`);
  return (method === 'GET' || method === 'HEAD') && !isOfApi && /\btext\/html\b/.test(req.headers.accept ?? '');
}

/**
 * Returns the path below the format's own for a request to the format's host; null: another host. Some senders cannot
 * post to a path.
 */
function pathAtHost(
  { req }: Pick<Context, 'req'>,
  path: string,
  hosts: Readonly<Record<string, string>>,
): string | null {
  const host = (req.headers.host ?? '').toLowerCase().replace(/:\d*$/, '');
  const name = Object.hasOwn(hosts, host) ? hosts[host] : undefined;
  return name === undefined ? null : tidyPath(`${SENDERS_BASE}/${name}/${path}`);
}

/** All operations' handlers. A missing one does not compile. */
type Handlers = { readonly [Id in OperationId]: OperationHandler<Id> } & {
  readonly postEvent: Handler<ResponseTo<'postEvent'>, BareContext>;
};

function createHandlers(service: Service): Handlers {
  return {
    ...forwardedRoutes(service),
    ...eventRoutes(service),
    ...alertRoutes(service),
    ...inboxRoutes(service),
    ...reachRoutes(service),
    ...maintenanceRoutes(service),
    ...onCallRoutes(service),
    ...signInRoutes(service),
    ...sessionRoutes(service),
    ...oidcRoutes(service),
    ...passkeyRoutes(service),
    ...deviceRoutes(service),
    ...receiptRoutes(service),
    ...streamRoutes(service),
    ...memberRoutes(service),
    ...managedDeviceRoutes(service),
    ...managedEventRoutes(service),
    ...statisticsRoutes(service),
    ...openApiRoutes(service),
    ...healthRoutes(service),
  };
}
