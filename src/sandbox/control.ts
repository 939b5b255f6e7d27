import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Push } from './journal.ts';
import { parseOutage, parseRule, parseTokenRequest } from './orders.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * Watches and steers a sandbox from another process: plain HTTP on 127.0.0.1, without any authentication.
 *
 * - `GET /pushes?after=N`: NDJSON, one `Push` a line: the remembered ones with a number above N (default 0), then each new
 *   one as it is accepted, until the client hangs up.
 * - `GET /counts`: `{accepted, refused}`.
 * - `GET /credentials`: the settings that point pushctl at this sandbox, as `writeCredentials` answered them.
 * - `POST /tokens`, a `TokenRequest` → 201 `{token}`.
 * - `POST /behaviours`, a `Rule` as `{match?: {face?, token?}, answer: {kind, …}, times?}` → 204. `DELETE` takes all of them back → 204.
 * - `POST /outages`, `{face, outage}` → 204.
 *
 * Errors: 400 and 404 with `{message}`.
 */
export interface Control {
  readonly url: string;
  close(): Promise<void>;
}

export interface ControlOptions {
  /** 0: any free port. */
  readonly port: number;
  /** What `writeCredentials` answered; null where nothing was written. */
  readonly settings: object | null;
}

const BODY_MAX_BYTES = 64 * 1024;

export async function startControl(sandbox: Sandbox, options: ControlOptions): Promise<Control> {
  const server = createServer((request, response) => {
    route(sandbox, options, request, response).catch(() => response.destroy());
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

async function route(
  sandbox: Sandbox,
  options: ControlOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://sandbox');
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /pushes':
      return streamPushes(sandbox, Number(url.searchParams.get('after') ?? 0), response);
    case 'GET /counts':
      return sendJson(response, 200, sandbox.counts);
    case 'GET /credentials':
      return sendJson(response, 200, options.settings);
    case 'POST /tokens':
      return obey(request, response, parseTokenRequest, (wanted) => ({ token: sandbox.token(wanted) }));
    case 'POST /behaviours':
      return obey(request, response, parseRule, async (rule) => {
        sandbox.behave(rule);
      });
    case 'DELETE /behaviours':
      sandbox.behaveWell();
      return sendJson(response, 204, undefined);
    case 'POST /outages':
      return obey(request, response, parseOutage, ({ face, outage }) => sandbox.setOutage(face, outage));
    default:
      return sendJson(response, 404, { message: `There is no ${request.method} ${url.pathname}.` });
  }
}

/** What came before and what comes, without a gap: both are taken in the same turn. */
async function streamPushes(sandbox: Sandbox, after: number, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.flushHeaders();
  const send = (push: Push) => response.write(`${JSON.stringify(push)}\n`);
  for (const push of sandbox.pushes) if (push.number > after) send(push);
  const unsubscribe = sandbox.onPush(send);
  await once(response, 'close');
  unsubscribe();
}

/** Parses the body as an order and carries it out: 201 with the answer, or 204. `parse` answers a sentence for what is wrong. */
async function obey<Order extends object>(
  request: IncomingMessage,
  response: ServerResponse,
  parse: (value: unknown) => Order | string,
  carryOut: (order: Order) => object | undefined | Promise<void>,
): Promise<void> {
  const order = parse(await readBody(request));
  if (typeof order === 'string') return sendJson(response, 400, { message: order });
  const answer = await carryOut(order);
  if (answer === undefined) sendJson(response, 204, undefined);
  else sendJson(response, 201, answer);
}

/** undefined for what is no JSON or too large. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, body: object | null | undefined): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === undefined ? undefined : `${JSON.stringify(body)}\n`);
}
