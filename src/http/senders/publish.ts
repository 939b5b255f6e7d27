import { type PostedEventParser, postedEventParser } from '../../contract/posted-event.ts';
import type { Publication, SenderEvent, SenderFormat, SenderRequest } from '../../contract/senders/format.ts';
import { notificationKeys } from '../../contract/senders/notification.ts';
import { fitTexts } from '../../contract/senders/texts.ts';
import type { PostedEvent } from '../../push.ts';
import { type Acceptance, type Accepted, acceptance, type Poster, posterOf } from '../acceptance.ts';
import type { Integrator } from '../auth/api-key.ts';
import { invalid } from '../body/read-json.ts';
import { ApiError, FieldsError } from '../errors.ts';
import { counted } from '../limits/throttles.ts';
import type { Context, Handler } from '../request-state.ts';
import type { Service } from '../service.ts';
import { type BodyReader, largeBodyReader } from './large-bodies.ts';
import { authorizeSender, requestOf } from './request.ts';
import { respondWith } from './respond.ts';

type Publish = (request: SenderRequest) => Promise<Publication | null> | Publication | null;

/** What all formats share. */
export interface Intake {
  readonly parse: PostedEventParser;
  readonly take: Acceptance;
  readonly read: BodyReader;
}

export function createIntake(service: Service): Intake {
  const { limits, delivery } = service.config;
  return {
    parse: postedEventParser({ urlSchemes: limits.urlSchemes, ttlMs: delivery.ttlMs }),
    take: acceptance(service),
    read: largeBodyReader(),
  };
}

/**
 * Takes what a sender posts for an event, with the checks of POST /v1/events in their order. Texts that are
 * too long are cut, and fields that are not valid (such as links) left out, as a sender that is refused loses the alert;
 * the header field `Pushctl-Shortened` names them.
 */
export function publisher(
  service: Service,
  { parse, take, read }: Intake,
  format: SenderFormat,
  publish: Publish,
): Handler {
  const keptMs = service.config.retention.eventsMs;
  return async (context) => {
    requireNoHead(context);
    const request = requestOf(context);
    const by = await authorizeSender(service, context, format, request);
    const one = service.throttle.burst(context, by.key);
    return counted(one, async () => {
      const publication = await publish({ ...request, body: await read(context, by.key.id) });
      if (publication === null) throw invalid('There is no text in the request.');
      const { event, shortened } = fit(parse, withChannel(publication.event, by), request.header('idempotency-key'));
      const wallMs = service.clock.wallMs();
      const accepted = await acceptOnce(take, posterOf(by, one), event, publication.notification, wallMs);
      if (accepted.kind === 'replayed') context.state.replay = accepted.isSame ? 'same' : 'different';
      const told = { event: accepted.event, channel: event.channel, keptMs };
      return respondWith(publication.answer(told), shortened.length > 0 ? { [SHORTENED]: shortened.join(', ') } : {});
    });
  };
}

const SHORTENED = 'Pushctl-Shortened';

/** The router sends HEAD wherever there is a GET, and a HEAD must change nothing. */
function requireNoHead({ method }: Context): void {
  if (method === 'HEAD') throw new ApiError('method_not_allowed', { headers: { Allow: 'GET' } });
}

function withChannel(event: SenderEvent, { key }: Integrator): SenderEvent & { readonly channel: string } {
  const channel = event.channel ?? key.onlyChannel;
  if (channel === null) throw new ApiError('key_not_bound');
  return { ...event, channel };
}

/** The event without fields that are not valid. `shortened`: the names of these, and of texts that were cut. */
function fit(
  parse: PostedEventParser,
  given: SenderEvent,
  idempotencyKey: string,
): { readonly event: PostedEvent; readonly shortened: readonly string[] } {
  const { fitted: texts, shortened } = fitTexts(given);
  const fitted = { ...texts, ...(idempotencyKey !== '' && { idempotency_key: idempotencyKey }) };
  const parsed = parse(fitted);
  if (parsed.valid) return { event: parsed.event, shortened };
  const wrong = Object.keys(parsed.problem.errors);
  if (wrong.includes('channel')) throw new ApiError('channel_not_found');
  const again = parse(Object.fromEntries(Object.entries(fitted).filter(([name]) => !wrong.includes(name))));
  if (!again.valid) throw new FieldsError(again.problem);
  return { event: again.event, shortened: [...shortened, ...wrong] };
}

/** Accepts an event; a notification once for all tries to send it, unless its sender gave an idempotency key. */
async function acceptOnce(
  { accept, check }: Acceptance,
  by: Poster,
  event: PostedEvent,
  notification: string | undefined,
  wallMs: number,
): Promise<Accepted> {
  if (notification === undefined || event.idempotencyKey !== null) return accept(by, event);
  const [current, before] = notificationKeys(`${event.channel}\n${notification}`, wallMs);
  const { request: _, ...counted } = by;
  const earlier = await check(by, { ...event, idempotencyKey: before });
  return earlier.kind === 'replayed' ? earlier : accept(counted, { ...event, idempotencyKey: current });
}
