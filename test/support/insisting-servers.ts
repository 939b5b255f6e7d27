import * as assert from 'uvu/assert';
import type { Alert } from '../../src/store/calls.ts';
import { serverProcess } from '../crash/server-process.ts';
import { ADA, BOB } from './cast.ts';
import { temporaryFolder } from './folder.ts';
import { fetchReply } from './http.ts';
import { temporarySchema } from './postgres.ts';
import { granted } from './refusals.ts';
import type { Resources } from './resources.ts';
import type { Sandbox } from './sandbox/start.ts';
import { aSandbox } from './sandbox.ts';
import { aTeam, type Env, serverEnv, type Team } from './server.ts';
import { type Shown, shownBy } from './shown.ts';
import { signIn } from './sign-in.ts';
import { until } from './until.ts';
import { additionsTo } from './workspace.ts';

const PLATFORMS = ['ios', 'android', 'web'] as const;
export const INSISTING = { level: 'error', delivery_urgency: 'time_sensitive' } as const;
export const REPEAT_MS = 60_000;
export const EXACT_MS = 2_000;
/** Reminders may be as much later on a machine that is busy with other tests. */
export const BUSY_MS = 20_000;

interface Server {
  readonly url: string;
  readonly team: Team;
}
/** Processes over one store. */
export interface Servers {
  readonly env: Env;
  readonly sandbox: Sandbox;
  readonly first: Server;
  readonly last: Server;
}

export const ENGINES = [
  ['SQLite', async () => ({}), 1],
  ['PostgreSQL and two servers', async () => ({ PUSHCTL_STORE_URL: await temporarySchema() }), 2],
] as const;

interface Rounds {
  /** How many alerts the other channel has. */
  readonly storm: number;
  /** Returns when the next round is due, if it was due at that time. May bring it forward. */
  readonly next: (dueAtMs: number) => Promise<number>;
}

/**
 * Asserts what devices of each platform show in three rounds. A member acknowledges the alert of one channel after the
 * second round, and nobody those of another. Returns the milliseconds between the bundles of each device there.
 */
export async function assertThreeRounds(servers: Servers, { storm, next }: Rounds): Promise<readonly number[]> {
  const { sandbox } = servers;
  const { team } = servers.first;
  const shown: Shown[] = [];
  sandbox.onPush((push) => void shown.push(shownBy(push)));
  await insist(servers, 'alerts');
  await insist(servers, 'storm');
  await team.join(BOB);
  const tokens = [...(await devicesOf(servers, ADA, 'alerts')), ...(await devicesOf(servers, BOB, 'alerts'))];
  const stormy = await devicesOf(servers, ADA, 'storm');
  const session = await signIn({ http: servers.last, store: team.store }, ADA);
  const { event } = (await team.post({ title: 'Disk full', collapse_key: 'disk', ...INSISTING })).body;
  const { received_at: receivedAt = '' } = (await team.read(event.public_id)).event;
  await postStorm(servers, storm);

  const bundlesOn = (token: string) => onDevice(shown, token).filter(({ open }) => open !== undefined);
  const stormReached = (nth: number) => stormy.every((token) => bundlesOn(token).length >= nth);
  const lateMs: number[] = [];
  let dueAtMs = Date.parse(receivedAt);
  for (const nth of [1, 2]) {
    const ofRound = () => shown.filter(({ channel, reminder }) => channel === 'alerts' && reminder === nth);
    dueAtMs = await next(dueAtMs + REPEAT_MS);
    await until(`reminder ${nth}`, () => reached(ofRound(), tokens) || ofRound(), REPEAT_MS);
    await until(`bundle ${nth}`, () => stormReached(nth), REPEAT_MS);
    for (const { atMs } of ofRound()) lateMs.push(atMs - dueAtMs);
  }
  assert.ok(Math.min(...lateMs) > -EXACT_MS, `${lateMs}`);
  assert.ok(Math.max(...lateMs) < EXACT_MS + BUSY_MS, `${lateMs}`);

  const path = `/api/v1/events/${event.public_id}/acknowledge`;
  const answer = await fetchReply(servers.last.url, path, { method: 'POST', key: session, body: {} });
  assert.is((answer.body.alert as Alert).acknowledged_by, 'ada');
  const notices = () => shown.filter(({ text }) => text === 'ada has it.');
  await until('every device shows who has it', () => reached(notices(), tokens) || notices());

  await next(dueAtMs + REPEAT_MS);
  await until('the third round', () => stormReached(3), REPEAT_MS);
  for (const token of tokens) {
    const onThis = onDevice(shown, token);
    const [alert, first, second, notice, ...more] = onThis;
    assert.equal(more, [], 'nothing comes after it');
    assert.equal(
      [alert, first, second, notice].map((notification) => [
        notification?.state,
        notification?.reminder,
        notification?.isQuiet,
      ]),
      [
        ['open', 0, false],
        ['open', 1, false],
        ['open', 2, false],
        ['acknowledged', 2, true],
      ],
    );
    assert.is(new Set(onThis.map(({ place }) => place)).size, 1, 'all in one place');
  }
  const betweenMs = stormy.flatMap((token) => {
    const onThis = onDevice(shown, token);
    const ofRounds = bundlesOn(token);
    assert.is(onThis.length, storm + 3);
    assert.equal([ofRounds.length, ofRounds.at(-1)?.text.split('\n').length], [3, 3]);
    return ofRounds.slice(1).map(({ atMs }, n) => atMs - (ofRounds[n]?.atMs ?? 0));
  });
  process.stdout.write(`\nreminders late by ${Math.min(...lateMs)} to ${Math.max(...lateMs)} ms\n`);
  return betweenMs;
}

export async function startServers(opened: Resources, settings: Env, count: number): Promise<Servers> {
  const sandbox = opened.add(await aSandbox());
  const common = await serverEnv(sandbox, settings);
  const servers: Server[] = [];
  for (let n = 1; n <= count; n += 1) {
    const env = n === 1 ? common : { ...common, PUSHCTL_DATA_DIR: temporaryFolder() };
    const { url } = serverProcess(opened, env);
    servers.push({ url: await url, team: opened.add(await aTeam(env, await url)) });
  }
  const [first, last = first] = servers;
  if (first === undefined || last === undefined) throw new Error('none was asked for');
  return { env: common, sandbox, first, last };
}

export async function insist({ first: { team } }: Servers, slug: string): Promise<void> {
  if (slug !== 'alerts') granted(await team.store.createChannel({ workspace: 'acme', slug }));
  granted(await team.store.updateChannel({ workspace: 'acme', slug, insist: { repeat: 60, until: 3_000 } }));
}

/** Retries after a 503, as clients do if hundreds wait for one lock. */
export async function retrying<T extends { readonly status: number }>(post: () => Promise<T>): Promise<T> {
  let answer = await post();
  await until('an answer that is no 503', async () => {
    if (answer.status === 503) answer = await post();
    return answer.status !== 503 || answer;
  });
  return answer;
}

function reached(shown: readonly Shown[], tokens: readonly string[]): boolean {
  return tokens.every((token) => shown.some((notification) => notification.token === token));
}

/** In the order in which they came, but for copies: on a busy machine an answer may come too late. */
function onDevice(shown: readonly Shown[], token: string): readonly Shown[] {
  const ofDevice = shown.filter((notification) => notification.token === token);
  const first = new Map<string, Shown>();
  for (const notification of ofDevice) {
    const { text, state, reminder, open } = notification;
    const name = JSON.stringify([text, state, reminder, open]);
    if (!first.has(name)) first.set(name, notification);
  }
  return [...first.values()];
}

/** One of each platform. Answers their tokens. */
async function devicesOf({ sandbox, first: { team } }: Servers, email: string, channel: string) {
  const tokens: string[] = [];
  for (const platform of PLATFORMS) {
    const token = sandbox.token({ platform });
    const keys = () => ({ subscription: { endpoint: token, keys: sandbox.webpush.keysOf(token) } });
    const address = platform === 'web' ? keys() : { token };
    await additionsTo(team.store).addDevice({ platform, subscribe: [channel], ...address }, email);
    tokens.push(token);
  }
  return tokens;
}

async function postStorm({ first, last }: Servers, count: number): Promise<void> {
  const post = async ({ team }: Server, nth: number) => {
    for (let n = nth; n < count; n += 20) {
      const posted = () => team.post({ channel: 'storm', title: `Disk ${n} full`, ...INSISTING });
      assert.is((await retrying(posted)).status, 202);
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, nth) => post(nth % 2 === 0 ? first : last, nth)));
}
