import type { OperationId } from '../contract/operations.ts';
import { forwardedRoutes } from './forwarding.ts';
import type { BareContext, Handler, OperationHandler, ResponseTo } from './request-state.ts';
import { deviceRoutes, inboxRoutes, receiptRoutes, streamRoutes } from './routes/app.ts';
import { managedDeviceRoutes, managedEventRoutes, memberRoutes, statisticsRoutes } from './routes/dashboard.ts';
import { eventRoutes } from './routes/events.ts';
import { alertRoutes, maintenanceRoutes, reachRoutes } from './routes/integrators.ts';
import { oidcRoutes } from './routes/oidc.ts';
import { onCallRoutes } from './routes/on-call.ts';
import { healthRoutes, openApiRoutes } from './routes/service.ts';
import { sessionRoutes } from './routes/session.ts';
import { passkeyRoutes, signInRoutes } from './routes/sign-in.ts';
import type { Service } from './service.ts';

/** All operations' handlers. A missing one does not compile. */
export type Handlers = { readonly [Id in OperationId]: OperationHandler<Id> } & {
  readonly postEvent: Handler<ResponseTo<'postEvent'>, BareContext>;
};

export function createHandlers(service: Service): Handlers {
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
