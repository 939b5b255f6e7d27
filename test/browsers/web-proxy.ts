import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The answer to a request: it waits until this changes, ends without an answer, or gets this page. */
type Fate = 'waits' | 'breaks' | { readonly status: number; readonly html: string };

/** A way to a server on which some of its files come late, or not at all. */
export interface WebProxy {
  readonly url: string;
  /** The paths of the requests that wait. */
  readonly waiting: readonly string[];
  /** Leads to another server from now on. */
  lead(serverUrl: string): void;
  /** From now on, for paths that match; also for those that wait. */
  set(paths: RegExp, fate: Fate): void;
  /** All passes from now on, and what waits. */
  pass(): void;
  close(): Promise<void>;
}

export async function startWebProxy(serverUrl: string): Promise<WebProxy> {
  let leadsTo = serverUrl;
  const fates: (readonly [RegExp, Fate])[] = [];
  const waiting: (readonly [IncomingMessage, ServerResponse])[] = [];
  const decide = (asked: IncomingMessage, answer: ServerResponse): void => {
    const fate = fates.findLast(([paths]) => paths.test(asked.url ?? ''))?.[1];
    if (fate === undefined) forward(leadsTo, asked, answer);
    else if (fate === 'waits') waiting.push([asked, answer]);
    else if (fate === 'breaks') answer.destroy();
    else answer.writeHead(fate.status, { 'Content-Type': 'text/html' }).end(fate.html);
  };
  const decideAgain = () => {
    for (const [asked, answer] of waiting.splice(0)) decide(asked, answer);
  };
  const proxy = createServer(decide);
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    get waiting() {
      return waiting.map(([{ url = '' }]) => url);
    },
    lead(url) {
      leadsTo = url;
    },
    set(paths, fate) {
      fates.push([paths, fate]);
      decideAgain();
    },
    pass() {
      fates.length = 0;
      decideAgain();
    },
    async close() {
      proxy.close();
      proxy.closeAllConnections();
      await once(proxy, 'close');
    },
  };
}

function forward(serverUrl: string, asked: IncomingMessage, answer: ServerResponse): void {
  // The client may have left while its request waited.
  if (answer.destroyed) return;
  const passed = request(serverUrl + asked.url, { method: asked.method, headers: asked.headers }, (answered) => {
    answer.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  answer.on('close', () => passed.destroy());
  asked.pipe(passed);
}
