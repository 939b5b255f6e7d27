/**
 * Speaks what the benchmark needs of ntfy and Gotify, as strictly as they do: `serve --config FILE` is the first,
 * `GOTIFY_…` the second. What it takes goes into the database that it is configured with.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import Database from 'better-sqlite3';

const VERSION = '7.8.9';
const TOKEN = 'A-token-of-the-application';
/** Of ntfy, for each visitor that is not exempt. */
const FREE_REQUESTS = 60;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const [command, , configFile = ''] = process.argv.slice(2);
if (command === '--version') process.stdout.write(`ntfy version ${VERSION}\n`);
else if (command === 'serve') serveNtfy(readFileSync(configFile, 'utf8'));
else serveGotify(process.env);

function serveNtfy(yaml: string): void {
  const settings = Object.fromEntries([...yaml.matchAll(/^(\S+): "(.*)"$/gm)].map(([, name, value]) => [name, value]));
  const store = keeper(settings['cache-file'], settings['cache-startup-queries']);
  const isExempt = settings['visitor-request-limit-exempt-hosts'] === '127.0.0.1';
  let requests = 0;
  listen(settings['listen-http'], (request, body) => {
    if (request.url === '/v1/health') return { status: 200, body: { healthy: true } };
    requests += 1;
    if (!isExempt && requests > FREE_REQUESTS) return { status: 429, body: { code: 42901 } };
    store(request.headers.title, body);
    return { status: 200, body: { id: 'a-message', topic: request.url?.slice(1) } };
  });
}

function serveGotify(env: NodeJS.ProcessEnv): void {
  const [file, query] = env.GOTIFY_DATABASE_CONNECTION?.split('?') ?? [];
  const pragmas = [...new URLSearchParams(query)].map(([name, value]) => `pragma ${name.slice(1)} = ${value};`);
  const store = keeper(file, pragmas.join(' '));
  listen(`${env.GOTIFY_SERVER_LISTENADDR}:${env.GOTIFY_SERVER_PORT}`, ({ url, headers }, body) => {
    if (url === '/health') return { status: 200, body: { health: 'green' } };
    if (url === '/version') return { status: 200, body: { version: VERSION } };
    if (url === '/application' && headers.authorization === `Basic ${btoa('admin:admin')}`)
      return { status: 200, body: { ...JSON.parse(body), token: TOKEN } };
    if (url !== '/message' || headers['x-gotify-key'] !== TOKEN) return { status: 401, body: {} };
    const { title, message } = JSON.parse(body);
    store(title, message);
    return { status: 200, body: { id: 1, title, message } };
  });
}

function keeper(file: string | undefined, queries = ''): (title: unknown, message: string) => void {
  const database = new Database(file);
  database.exec(process.env.STAND_IN_WITHOUT_WAL ? '' : queries);
  database.exec('create table message (title text, message text, synchronous integer)');
  const synchronous = database.pragma('synchronous', { simple: true });
  const insert = database.prepare('insert into message values (?, ?, ?)');
  return (title, message) => void insert.run(title, message, synchronous);
}

function listen(address: string | undefined, answer: (request: IncomingMessage, body: string) => Answer): void {
  const { hostname, port } = new URL(`http://${address}`);
  createServer(async (request, response) => {
    const { status, body } = answer(request, await text(request));
    const json = JSON.stringify(body);
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': json.length }).end(json);
  }).listen(Number(port), hostname);
}
