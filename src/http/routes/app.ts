import { randomBytes } from 'node:crypto';
import { finished } from 'node:stream';
import { baseUrlOf } from '../../config/config.ts';
import type { BodyOf } from '../../contract/api-types.ts';
import { fieldProblem } from '../../contract/details.ts';
import { calendarText, createCalendarSecret, parseCalendarSecret } from '../../contract/on-call/calendar.ts';
import type { Reporter } from '../../store/calls.ts';
import { fromTimestamp } from '../../values/timestamp.ts';
import { uuidMaker } from '../acceptance.ts';
import { bodyReader } from '../body/body-fields.ts';
import { ApiError, unwrap } from '../errors.ts';
import { parametersIn, queryReader } from '../query.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { eventBody } from './events.ts';
import type { PingRoute } from './pings.ts';

const TWO_WAYS = fieldProblem('events', 'events_or_up_to');

export function inboxRoutes({ authenticate }: Service) {
  const readMark = bodyReader('markInboxRead', ({ events, upTo }) => (events && upTo !== undefined ? [TWO_WAYS] : []));
  return {
    /**
     * Answers PUT /v1/inbox/read. Writes no more often than events arrive or become unread, so it is not a daily
     * change.
     */
    async markInboxRead(context) {
      const { store, user } = await authenticate(context, 'mark');
      const { events, workspace = '', upTo = '', ...among } = await readMark(context);
      if (events !== undefined) await store.markEventsRead({ userId: user.id, events });
      else unwrap(await store.markInboxRead({ userId: user.id, workspace, upTo, ...among }), 'workspace_not_found');
      return { status: 204 };
    },
  } satisfies Routes;
}

export function deviceRoutes({ authenticate, config, throttle, clock }: Service) {
  const newUuid = uuidMaker();
  return {
    async testDevice(context) {
      const { store, user } = await authenticate(context);
      await throttle.tests(context, user.id);
      const args = { id: context.params.device, userId: user.id, uuid: newUuid(clock.wallMs()) };
      const { event } = unwrap(await store.testDevice(args), 'device_not_found');
      return { status: 202, body: { event: eventBody(event) } };
    },

    async showWebPush(context) {
      const { store } = await authenticate(context);
      const { public_key } = await store.showWebPushKey({});
      return { status: 200, body: { public_key, contact_configured: config.webpush !== null } };
    },
  } satisfies Routes;
}

export function receiptRoutes({ receipts }: Service) {
  const read = bodyReader('reportShown');
  return {
    async reportShown(context) {
      const reporter = await receipts.authenticate(context);
      const { earlier = [], eventId, at, opened } = await read(context);
      const reports = [{ event_id: eventId, at, ...(opened && { opened }) }, ...earlier];
      // Kept reports may concern deleted events.
      const [answer] = await Promise.all(reports.map((report) => receipts.record(receiptOf(reporter, report))));
      if (answer?.kind === 'no_device') throw new ApiError('device_not_found');
      if (answer?.kind === 'no_event') throw new ApiError('event_not_found');
      return { status: 204 };
    },
  } satisfies Routes;
}

type Report = NonNullable<BodyOf<'reportShown'>['earlier']>[number];

function receiptOf(reporter: Reporter, { event_id: publicId, at, opened = false }: Report) {
  return { ...reporter, publicId, atMs: fromTimestamp(at) ?? 0, opened };
}

/** nginx would hold back what it buffers (https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering). */
const HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };

export function streamRoutes({ authenticate, streams }: Service) {
  const read = queryReader('openStream');
  return {
    async openStream(context) {
      const person = await authenticate(context);
      const { lastEventId: from } = read(context);
      if (context.method === 'HEAD') return { status: 200, headers: HEADERS };
      // A reconnecting browser sends the header to its original address.
      const lastId = context.get('Last-Event-ID') || from;
      const stream = streams.admit(person);
      finished(context.res, () => streams.close(stream));
      return { status: 200, headers: HEADERS, stream: (response) => streams.open(stream, response, lastId) };
    },
  } satisfies Routes;
}

const CALENDAR = '/v1/calendar';

export function onCallRoutes({ authenticate, manage, config }: Service) {
  const readPreview = queryReader('deleteRota');
  return {
    /** DELETE /v1/workspaces/{workspace}/rotas/{rota} */
    async deleteRota(context) {
      const { store } = await manage(context);
      const { workspace, rota: slug } = context.params;
      const { preview = false } = readPreview(context);
      const answer = unwrap(await store.deleteRota({ workspace, slug, preview }), 'rota_not_found');
      return preview ? { status: 200, body: answer } : { status: 204 };
    },

    /** POST /v1/session/calendar */
    async makeCalendar(context) {
      const { store, user } = await authenticate(context);
      const { text, tokenHash: secretHash } = createCalendarSecret(randomBytes);
      unwrap(await store.makeCalendar({ userId: user.id, secretHash }), 'not_signed_in');
      return { status: 201, body: { calendar: { url: `${baseUrlOf(config)}${CALENDAR}/${text}.ics` } } };
    },
  } satisfies Routes;
}

/**
 * Answers calendar programs, which send nothing but the address. The API's description does not have it, as the answer
 * is no JSON. Requests count like wrong keys.
 */
export function calendarRoutes({ store, throttle, clock }: Service): readonly PingRoute[] {
  return [
    {
      method: 'get',
      pattern: `/api${CALENDAR}/:secret.ics`,
      async handler(context) {
        await throttle.connection.request(context);
        const secretHash = parseCalendarSecret(context.params.secret ?? '');
        const everyone = parametersIn(context.querystring).get('everyone') === '1';
        const calendar = secretHash === null ? null : await store.readCalendar({ secretHash, everyone });
        if (calendar === null) throw new ApiError('route_not_found');
        const body = Buffer.from(calendarText(calendar.shifts, clock.wallMs()));
        return { status: 200, body, headers: { 'Content-Type': 'text/calendar; charset=utf-8' } };
      },
    },
  ];
}
