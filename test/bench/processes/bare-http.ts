/** The least that an HTTP server can do with an event: it parses the JSON and answers a fixed 202. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveHandlers } from './handlers.ts';

const ANSWER = JSON.stringify({
  event: {
    public_id: 'evt_06fydmhwf5zst2p2wj1gsr3qfc',
    event_uuid: '019e4f70-1c8f-7f93-9056-948398eef76c',
    status: 'queued',
    level: 'warning',
    event_type: 'disk.full',
    target_device_count: 1,
    received_at: '2026-11-21T09:30:00.123+00:00',
  },
});

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString());
    response.writeHead(202, { 'Content-Type': 'application/json', 'Content-Length': ANSWER.length });
    response.end(ANSWER);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const handlers = { url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
export type BareHttpHandlers = typeof handlers;
serveHandlers(handlers);
