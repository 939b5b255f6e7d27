import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SandboxContext } from '../fake.ts';
import { send } from '../http-answer.ts';
import { startHttps } from '../https.ts';
import type { Listener } from '../listener.ts';
import type { Browsers } from './browsers.ts';
import { stanzaOf } from './mcs.ts';
import { fixed64Field, numberField, readFields } from './protobuf.ts';

const CHECK_IN_ID = 2;
const SECURITY_TOKEN = 1n;

/**
 * Serves Chromium's requests to Google before pushes: check-in (`POST /checkin`, Chromium's
 * google_apis/gcm/protocol/checkin.proto), which assigns a number, and subscriptions' registration (`POST /register`, a
 * form).
 */
export function startGcm(browsers: Browsers<Buffer>, context: SandboxContext): Promise<Listener> {
  function serve(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    if (request.url === '/checkin') checkIn(response, body);
    else if (request.url === '/register') send(response, plain(200, register(new URLSearchParams(body.toString()))));
    else send(response, plain(404, 'Not Found'));
  }

  function checkIn(response: ServerResponse, body: Buffer): void {
    const [given] = readFields(body).get(CHECK_IN_ID) ?? [];
    const id = browsers.meet(typeof given === 'bigint' ? String(given) : undefined);
    const fields = [
      numberField(1, 1), // stats_ok
      numberField(3, Math.round(context.wallMs())), // time_msec
      fixed64Field(7, BigInt(id)), // android_id
      fixed64Field(8, SECURITY_TOKEN),
    ];
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(Buffer.concat(fields));
  }

  /** `X-subtype`: the web app; `sender`: its VAPID key; `device`: the check-in's number. */
  function register(form: URLSearchParams): string {
    const app = form.get('X-subtype') ?? '';
    const device = form.get('device') ?? '';
    const sender = form.get('sender') ?? '';
    if (form.get('delete') === 'true') {
      browsers.unsubscribe(device, app);
      return `token=${app}`;
    }
    const messageOf = (push: Parameters<typeof stanzaOf>[0]) => stanzaOf(push, app, sender, context.wallMs());
    return `token=${browsers.subscribe(device, app, sender, messageOf)}`;
  }

  return startHttps('gcm', context, serve);
}

function plain(status: number, body: string) {
  return { status, headers: { 'content-type': 'text/plain' }, body };
}
