import { randomBytes } from 'node:crypto';
import { baseUrlOf } from '../../config/config.ts';
import { calendarText, createCalendarSecret, parseCalendarSecret } from '../../contract/on-call/calendar.ts';
import { ApiError, unwrap } from '../errors.ts';
import { parametersIn, queryReader } from '../query.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import type { PingRoute } from './pings.ts';

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
