import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { parseJsonObject } from '../../values/json.ts';
import type { SandboxContext } from '../fake.ts';
import type { Listener } from '../listener.ts';
import { type BrowserConnection, type BrowserControl, Browsers } from './browsers.ts';
import { mozilla } from './services/mozilla.ts';
import type { Subscriptions, TakenPush } from './subscriptions.ts';

interface Autopush {
  readonly listener: Listener;
  readonly browsers: BrowserControl;
}

type Message = Readonly<Record<string, unknown>>;

const MESSAGE_MAX_BYTES = 64 * 1024;

/**
 * Starts Mozilla's push service for Firefox: autopush over WebSocket
 * (https://autopush.readthedocs.io/en/latest/architecture.html). Without TLS: Firefox would not trust the sandbox's CA.
 */
export async function startAutopush(subscriptions: Subscriptions, context: SandboxContext): Promise<Autopush> {
  const browsers = new Browsers<Message>(subscriptions, () => randomUUID().replaceAll('-', ''), context.wallMs);
  const server = createServer();
  const listener = await context.listen('autopush', (socket) => server.emit('connection', socket));
  const sockets = new WebSocketServer({
    server,
    maxPayload: MESSAGE_MAX_BYTES,
    handleProtocols: () => 'push-notification',
  });
  sockets.on('connection', (socket) => talk(socket, browsers));
  return { listener, browsers };
}

/** Serves one browser's connection, which must begin with hello. */
function talk(socket: WebSocket, browsers: Browsers<Message>): void {
  let uaid: string | null = null;
  const say = (message: Message): void => socket.send(JSON.stringify(message));
  const connection: BrowserConnection<Message> = { send: say, close: () => socket.terminate() };
  socket.on('error', () => {});
  socket.on('close', () => {
    if (uaid !== null) browsers.closed(uaid, connection);
  });
  socket.on('message', (data) => {
    const message = parseJsonObject(data.toString());
    if (message === null || (uaid === null && message.messageType !== 'hello')) return socket.close();
    if (uaid !== null) answer(message, uaid, browsers, say);
    else {
      // A browser that gets another name than its own has lost its subscriptions.
      uaid = browsers.meet(textOf(message.uaid));
      say({ messageType: 'hello', status: 200, uaid, use_webpush: true, broadcasts: {} });
      browsers.connect(uaid, connection);
    }
  });
}

function answer(message: Message, uaid: string, browsers: Browsers<Message>, say: (message: Message) => void): void {
  const { messageType, channelID } = message;
  const app = textOf(channelID) ?? '';
  switch (messageType) {
    case 'register': {
      const key = textOf(message.key)?.replace(/=+$/, '') ?? null;
      const token = browsers.subscribe(uaid, app, key, (push) => notificationOf(push, app));
      say({ messageType, status: 200, channelID, pushEndpoint: mozilla.origins[0] + mozilla.pathOf(token) });
      break;
    }
    case 'unregister':
      browsers.unsubscribe(uaid, app);
      say({ messageType, status: 200, channelID });
      break;
    case 'ack':
      // Counts with any result: 100 delivered, 101 not decrypted, 102 not delivered.
      for (const { version } of message.updates as readonly { version: string }[]) browsers.confirm(uaid, version);
      break;
    case undefined:
      say({}); // A pong is empty, too.
      break;
  }
}

function notificationOf({ id, body, ttlS }: TakenPush, channelID: string): Message {
  const content = { data: body.toString('base64url'), headers: { encoding: 'aes128gcm' } };
  return { messageType: 'notification', channelID, version: id, ttl: ttlS, ...(body.length > 0 && content) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
