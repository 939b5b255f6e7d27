import { inForm, type KeyForm } from '../../src/contract/api-key.ts';
import type { AcceptedEvent, Publication, SenderFormat, SenderRequest } from '../../src/contract/senders/format.ts';
import type { EventRecord } from '../../src/push.ts';
import type { AcceptArgs } from '../../src/store/calls.ts';
import { type Api, type ApiOptions, withApi } from './http.ts';

/** A workspace whose senders post with a key that is bound to its channel `alerts`. */
export interface SenderScene {
  readonly api: Api;
  /** The bound key, written as asked for. */
  readonly key: (form?: KeyForm) => string;
  /** What was accepted, in order. */
  readonly accepted: readonly AcceptArgs[];
  /** What was accepted last. */
  readonly last: () => AcceptArgs;
}

export async function withSender(options: ApiOptions, use: (scene: SenderScene) => Promise<void>): Promise<void> {
  const accepted: AcceptArgs[] = [];
  await withApi(
    async (api) => {
      const { text } = await api.issueKey({ channels: ['alerts'], scopes: ['events:write'] });
      const last = (): AcceptArgs => {
        const event = accepted.at(-1);
        if (event === undefined) throw new Error('nothing was accepted');
        return event;
      };
      await use({ api, key: (form = 'pctl_') => inForm(form, text), accepted, last });
    },
    { onAccepted: (args) => accepted.push(args), ...options },
  );
}

export interface AskedRequest {
  readonly params?: SenderRequest['params'];
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as a format sees it. */
export function aRequest({ params = {}, query = '', headers = {}, body = '' }: AskedRequest = {}): SenderRequest {
  return { params, query: new URLSearchParams(query), header: (name) => headers[name] ?? '', body };
}

/** What a format makes of a request to one of its addresses; it must have a text. */
export async function publishWith(format: SenderFormat, path: string, request: AskedRequest): Promise<Publication> {
  const publication = await publishedBy(format, path, request);
  if (publication === null) throw new Error('there is no text');
  return publication;
}

/** As `publishWith`; null: there is no text. */
export async function publishedBy(
  format: SenderFormat,
  path: string,
  request: AskedRequest,
): Promise<Publication | null> {
  const act = format.addresses.find((address) => address.path === path)?.act;
  if (act === undefined || !('publish' in act)) throw new Error(`nothing is published at ${path}`);
  return act.publish(aRequest(request));
}

/** An event that was accepted in November 2026, and is kept for a minute. */
export function accepted(channel: string): AcceptedEvent {
  const event: EventRecord = {
    public_id: 'evt_1',
    event_uuid: '01a1fc7b-d8a5-7280-83c2-0d3bed29ec49',
    status: 'queued',
    level: 'info',
    event_type: null,
    target_device_count: 1,
    received_at: '2026-11-18T11:06:40.000+00:00',
  };
  return { event, channel, keptMs: 60_000 };
}
