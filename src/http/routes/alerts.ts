import type { Scope } from '../../push.ts';
import type { ActingStore, Alert, AlertAsker, Refusal } from '../../store/calls.ts';
import { reachOf } from '../auth/api-key.ts';
import { byToken } from '../auth/by-token.ts';
import { bodyReader } from '../body/body-fields.ts';
import { counted } from '../limits/throttles.ts';
import type { Context, Handler, ResponseTo, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

type Named = AlertAsker & { readonly publicId: string };
type Changed = ResponseTo<'acknowledgeAlert' | 'resolveAlert' | 'reopenAlert'>;
type Change = (store: ActingStore, named: Named, context: Context) => Promise<{ readonly alert: Alert } | Refusal>;

export function alertRoutes({ authenticate, authorize, throttle }: Service) {
  const readTerms = bodyReader('acknowledgeAlert');
  const readExtent = bodyReader('reopenAlert');

  /** Counts as a person's change, or a request of a key with one scope. */
  function changing(scopes: readonly Scope[], change: Change): Handler<Changed> {
    const changed = async (store: ActingStore, asker: AlertAsker, context: Context) => {
      const done = await change(store, { ...asker, publicId: context.params.public_id }, context);
      return unwrap(done, 'event_not_found').alert;
    };
    return byToken({
      async session(context) {
        const { store, user } = await authenticate(context);
        return { status: 200, body: { alert: await changed(store, { userId: user.id }, context) } };
      },
      async key(context) {
        const { key, store } = await authorize(context, scopes);
        const request = throttle.burst(context, key);
        return counted(request, async () => {
          const alert = await changed(store, { reach: reachOf(key) }, context);
          await request.end();
          const { id, state } = alert;
          return { status: 200, body: { alert: key.scopes.includes('events:read') ? alert : { id, state } } };
        });
      },
    });
  }

  return {
    acknowledgeAlert: changing(['alerts:write'], async (store, named, context) => {
      const { for: forS, ...terms } = await readTerms(context);
      return store.acknowledgeAlert({ ...named, ...terms, ...(forS !== undefined && { forS }) });
    }),

    resolveAlert: changing(['alerts:write', 'events:write'], (store, named) => store.resolveAlert(named)),

    reopenAlert: changing(['alerts:write'], async (store, named, context) =>
      store.reopenAlert({ ...named, ...(await readExtent(context)) }),
    ),
  } satisfies Routes;
}
