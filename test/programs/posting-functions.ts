import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Api, withApi } from '../support/http.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { runProgram } from './receiver.ts';

/** A function of docs/clients.md, and the program around it that posts the event of its argument. */
export interface PostingFunction {
  /** The name in the page's blocks of code. */
  readonly language: string;
  /** A command that fails if this machine cannot run the program. */
  readonly needs: readonly [string, ...string[]];
  /** The text that ends an attempt after 10 s, and the text that ends it after 3 s. */
  readonly timeout: readonly [onPage: string, inTest: string];
  readonly file: string;
  program(code: string): string;
  /** Prepares the file, and returns the command that runs it. */
  build(folder: string, file: string): Promise<readonly [string, ...string[]]>;
}

interface Scene {
  /** The reply to the first attempt. Absent: the server's own. */
  readonly reply?: (response: ServerResponse, forward: () => Promise<Response>) => unknown;
  readonly attempts: number;
  /** Matches the error of a function that gives up. Absent: it succeeds. */
  readonly error?: RegExp;
  readonly channel?: string;
  /** The function waits until its attempt has taken too long. */
  readonly isHanging?: true;
}

const RETRY_AFTER_S = 2;
const RATE_LIMITED = '{"code": "rate_limited"}';

/** Maps titles of events to scenes. */
const SCENES: Readonly<Record<string, Scene>> = {
  'no fault': { attempts: 1 },
  'reset after it was accepted': {
    reply: async (response, forward) => {
      await forward();
      response.socket?.resetAndDestroy();
    },
    attempts: 2,
  },
  'no response after it was accepted': { reply: (_, forward) => forward(), attempts: 2, isHanging: true },
  'a 503': { reply: (response) => response.writeHead(503).end('<h1>Down</h1>'), attempts: 2 },
  'a busy key': { reply: (response) => respond(response, 429, RATE_LIMITED, `${RETRY_AFTER_S}`), attempts: 2 },
  'a key that is busy for long': {
    reply: (response) => respond(response, 429, RATE_LIMITED, '86400'),
    attempts: 1,
    error: /\(429\).*rate_limited/s,
  },
  'a redirect': {
    reply: (response) => response.writeHead(302, { location: '/api/v1/events' }).end(),
    attempts: 1,
    error: /\(302\)/,
  },
  'an unknown channel': { channel: 'nowhere', attempts: 1, error: /\(404\).*does not exist/s },
  'a spent allowance': { attempts: 1, error: /\(429\).*allowance_exhausted/s },
};

/** Tests that the function posts each event once, and gives up if retries do not help. */
export function testPosting(suite: Test, posting: PostingFunction): void {
  const [command, ...args] = posting.needs;
  const isMissing = spawnSync(command, args).status !== 0;
  const obstacle = isMissing ? `needs what makes \`${posting.needs.join(' ')}\` succeed` : null;
  skipWhere(obstacle, suite)(`The ${posting.language} function posts exactly once, whatever fails in between`, () =>
    withApi((api) => check(api, posting)),
  );
}

async function check(api: Api, posting: PostingFunction): Promise<void> {
  await using opened = new Resources();
  const full = await api.addWorkspace('full', { channels: ['alerts'] });
  await api.real.setPlan({ name: 'none', monthlyEvents: 1 });
  await api.real.setWorkspacePlan({ slug: 'full', plan: 'none' });
  await full.accept();
  const { text: fullKey } = await full.issueKey();

  const faulty = await startFaultyProxy(opened, api.http.url);
  const patient = await prepare(posting);
  const hurried = await prepare(posting, posting.timeout);
  const run = async (title: string) => {
    const event = JSON.stringify({ channel: SCENES[title]?.channel ?? 'alerts', title });
    const key = title === 'a spent allowance' ? fullKey : api.key;
    const env = { PUSHCTL_BASE_URL: `${faulty.url}/api`, PUSHCTL_API_KEY: key };
    const [program, ...args] = SCENES[title]?.isHanging ? hurried : patient;
    return [title, await runProgram(program, [...args, event], env)] as const;
  };
  const ended = await Promise.all(Object.keys(SCENES).map(run));

  const { body } = await api.request('/api/v1/events', { key: api.key });
  const events = body.events as readonly { title: string; public_id: string }[];
  for (const [title, { exitCode, output }] of ended) {
    const stored = events.filter((event) => event.title === title);
    const { attempts, error } = SCENES[title] as Scene;
    const about = `${title}: ${output}`;
    assert.is(faulty.attempts(title).length, attempts, about);
    assert.is(new Set(faulty.attempts(title).map(({ key }) => key)).size, 1, about);
    assert.is(stored.length, error ? 0 : 1, about);
    assert.is(exitCode === 0, error === undefined, about);
    assert.match(output, error ?? String(stored[0]?.public_id), about);
  }
  const [first, second] = faulty.attempts('a busy key');
  assert.ok(Number(second?.atMs) - Number(first?.atMs) > RETRY_AFTER_S * 1_000 - 10);
  assert.is(new Set(Object.keys(SCENES).map((title) => faulty.attempts(title)[0]?.key)).size, ended.length);
}

/** Takes the function out of the page. `timeout`: what to replace in it, and by what. */
async function prepare({ language, file, program, build }: PostingFunction, timeout?: PostingFunction['timeout']) {
  const page = readFileSync(packagePath('docs/clients.md'), 'utf8');
  const code = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1] ?? '';
  const tested = timeout === undefined ? code : code.replace(...timeout);
  assert.ok(timeout === undefined || tested !== code);
  const folder = temporaryFolder();
  writeFileSync(join(folder, file), program(tested));
  return build(folder, join(folder, file));
}

interface Attempt {
  readonly key: unknown;
  readonly atMs: number;
}

/** Passes requests on to the server, except as the scene of the event says. */
async function startFaultyProxy(opened: Resources, target: string) {
  const attempts = new Map<string, Attempt[]>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { title = '' } = body === '' ? {} : JSON.parse(body);
    const seen = attempts.get(title) ?? [];
    attempts.set(title, [...seen, { key: request.headers['idempotency-key'], atMs: performance.now() }]);
    const { method = '', url, headers } = request;
    const names = ['authorization', 'content-type', 'idempotency-key'];
    const passed = names.map((name): [string, string] => [name, String(headers[name] ?? '')]);
    const forward = () => fetch(`${target}${url}`, { method, headers: passed, ...(body && { body }) });
    const { reply } = SCENES[title] ?? {};
    if (reply && seen.length === 0) {
      await reply(response, forward);
      return;
    }
    const answer = await forward();
    respond(response, answer.status, await answer.text(), answer.headers.get('retry-after'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, attempts: (title: string) => attempts.get(title) ?? [] };
}

function respond(response: ServerResponse, status: number, body: string, retryAfter: string | null): void {
  if (retryAfter !== null) response.setHeader('Retry-After', retryAfter);
  response.writeHead(status).end(body);
}
