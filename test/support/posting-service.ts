import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A posted event. */
export type Taken = Readonly<Record<string, unknown>>;
export type ServiceAnswer = (response: ServerResponse) => void;

/** A service that gives these answers in turns, at the base URL that `use` gets. Answers what it was sent. */
export async function withService(
  answers: readonly ServiceAnswer[],
  use: (baseUrl: string) => Promise<void>,
  onRequest: (request: IncomingMessage) => void = () => {},
): Promise<readonly Taken[]> {
  const taken: Taken[] = [];
  const server = createServer(async (request, response) => {
    onRequest(request);
    taken.push((await json(request)) as Taken);
    answers[taken.length - 1]?.(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    await use(`http://127.0.0.1:${port}/api`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
  return taken;
}

export const answer =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): ServiceAnswer =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
export const hangUp: ServiceAnswer = (response) => void response.destroy();
