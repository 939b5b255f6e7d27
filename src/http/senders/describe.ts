import { inForm } from '../../contract/api-key.ts';
import type { Account, SenderBody, SenderFormat } from '../../contract/senders/format.ts';
import { ApiError } from '../errors.ts';
import type { Handler } from '../request-state.ts';
import type { Service } from '../service.ts';
import { authorizeSender, requestOf } from './request.ts';
import { respondWith } from './respond.ts';

/** What a key may use. Counted as a connection test is, and before the key is checked. */
export function describe(service: Service, format: SenderFormat, put: (account: Account) => SenderBody): Handler {
  const keptMs = service.config.retention.eventsMs;
  return async (context) => {
    await service.throttle.connection(context);
    const { key, apiKey, store } = await authorizeSender(
      service,
      context,
      format,
      requestOf(context, service.clock.wallMs()),
    );
    const connection = await store.describeConnection({ keyId: key.id });
    if (connection === null) throw new ApiError('unauthenticated'); // deleted meanwhile
    const { slug, events_this_month: events, monthly_event_allowance: allowance } = connection.workspace;
    return respondWith(put({ name: slug, events, allowance, keptMs, key: inForm(format.keyForm, apiKey) }));
  };
}
