import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Alert } from '../../src/store/calls.ts';
import { serverProcess } from '../crash/server-process.ts';
import { ADA, BOB } from '../support/cast.ts';
import { concurrently } from '../support/concurrently.ts';
import { temporaryFolder } from '../support/folder.ts';
import { fetchReply } from '../support/http.ts';
import { Opened } from '../support/opened.ts';
import { temporarySchema } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, type Env, serverEnv, type Team } from '../support/server.ts';
import { type Shown, shownBy } from '../support/shown.ts';
import { signIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { additionsTo } from '../support/workspace.ts';

const test = suite('server: alerts that insist');
/** They wait for the same minutes. */
const together = concurrently(test);

const PLATFORMS = ['ios', 'android', 'web'] as const;
const INSISTING = { level: 'error', delivery_urgency: 'time_sensitive' } as const;
const REPEAT_MS = 60_000;
const EXACT_MS = 2_000;
/** As much later may anything be on a machine that is busy with other tests. */
const BUSY_MS = 20_000;
const STORM = 500;

interface Server {
  readonly url: string;
  readonly team: Team;
}
/** Processes of their own over one store. */
interface Servers {
  readonly sandbox: Sandbox;
  readonly first: Server;
  readonly last: Server;
}

const ENGINES = [
  ['SQLite', async () => ({}), 1],
  ['PostgreSQL and two servers', async () => ({ PUSHCTL_STORE_URL: await temporarySchema() }), 2],
] as const;

for (const [engine, settings, count] of ENGINES) {
  together(`Over ${engine} all devices are reminded each minute, until one member has it`, async () => {
    await using opened = new Opened();
    const servers = await started(opened, await settings(), count);
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
    await postStorm(servers);

    const lateMs: number[] = [];
    for (const nth of [1, 2]) {
      const ofRound = () => shown.filter(({ channel, reminder }) => channel === 'alerts' && reminder === nth);
      await until(`reminder ${nth}`, () => reached(ofRound(), tokens), REPEAT_MS);
      for (const { atMs } of ofRound()) lateMs.push(atMs - Date.parse(receivedAt) - nth * REPEAT_MS);
    }
    assert.ok(Math.min(...lateMs) > -EXACT_MS, `${lateMs}`);
    assert.ok(Math.max(...lateMs) < EXACT_MS + BUSY_MS, `${lateMs}`);

    const path = `/api/v1/events/${event.public_id}/acknowledge`;
    const answer = await fetchReply(servers.last.url, path, { method: 'POST', key: session, body: {} });
    assert.is((answer.body.alert as Alert).acknowledged_by, 'ada');
    const notices = () => shown.filter(({ text }) => text === 'ada has it.');
    await until('every device shows who has it', () => reached(notices(), tokens));

    const bundlesOn = (token: string) => onDevice(shown, token).filter(({ open }) => open !== undefined);
    await until('the third round', () => stormy.every((token) => bundlesOn(token).length >= 3), REPEAT_MS);
    for (const token of tokens) {
      const its = onDevice(shown, token);
      const [alert, first, second, notice, ...more] = its;
      assert.equal(more, [], 'nothing comes after it');
      assert.equal(
        [alert, first, second, notice].map((one) => [one?.state, one?.reminder, one?.isQuiet]),
        [
          ['open', 0, false],
          ['open', 1, false],
          ['open', 2, false],
          ['acknowledged', 2, true],
        ],
      );
      assert.is(new Set(its.map(({ place }) => place)).size, 1, 'all in one place');
    }
    for (const token of stormy) {
      const its = onDevice(shown, token);
      const ofRounds = bundlesOn(token);
      assert.is(its.length, STORM + 3);
      assert.equal([ofRounds.length, ofRounds.at(-1)?.text.split('\n').length], [3, 3]);
      const betweenMs = ofRounds.slice(1).map(({ atMs }, n) => atMs - (ofRounds[n]?.atMs ?? 0));
      assert.ok(Math.min(...betweenMs) > REPEAT_MS - BUSY_MS, `${betweenMs}`);
    }
    process.stdout.write(`\n${engine}: reminders late by ${Math.min(...lateMs)} to ${Math.max(...lateMs)} ms\n`);
  });
}

for (const [engine, settings, count] of ENGINES) {
  test(`Over ${engine} 200 racing posts of one key are one alert, and 200 racing acknowledgements one name`, async () => {
    await using opened = new Opened();
    const servers = await started(opened, await settings(), count);
    const { team } = servers.first;
    await insist(servers, 'alerts');
    const doors = [servers.first.url, servers.last.url];
    const post = (path: string, key: string, nth: number, body: object) =>
      retrying(() => fetchReply(doors[nth % doors.length] ?? '', path, { method: 'POST', key, body }));
    const race = <T>(runner: (nth: number) => Promise<T>) =>
      Promise.all(Array.from({ length: 200 }, (_, nth) => runner(nth)));
    const event = { channel: 'alerts', title: 'Disk full', collapse_key: 'disk', ...INSISTING };
    const posted = await race((nth) => post('/api/v1/events', team.key, nth, event));
    assert.ok(posted.every(({ status }) => status === 202));
    const { alerts } = granted(await team.store.listAlerts({ workspace: 'acme', limit: 10 }));
    assert.is(alerts.length, 1);

    const keys = await Promise.all(Array.from({ length: 20 }, (_, nth) => team.issueKey({ name: `on call ${nth}` })));
    const path = `/api/v1/events/${alerts[0]?.id}/acknowledge`;
    const answers = await race((nth) => post(path, keys[nth % keys.length]?.text ?? '', nth, {}));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.is(new Set(answers.map(({ body }) => (body.alert as Alert).acknowledged_by)).size, 1);
    const { entries } = granted(await team.store.listAudit({ workspace: 'acme', action: 'alert', limit: 10 }));
    assert.is(entries.length, 1);
  });
}

test.run();

/** Retries after a 503, as clients do if hundreds wait for one lock. */
async function retrying<T extends { readonly status: number }>(post: () => Promise<T>): Promise<T> {
  let answer = await post();
  await until('an answer that is no 503', async () => {
    if (answer.status === 503) answer = await post();
    return answer.status !== 503 || answer;
  });
  return answer;
}

function reached(shown: readonly Shown[], tokens: readonly string[]): boolean {
  return tokens.every((token) => shown.some((one) => one.token === token));
}

/** In the order in which they came, but for copies: on a busy machine an answer may come too late. */
function onDevice(shown: readonly Shown[], token: string): readonly Shown[] {
  const its = shown.filter((one) => one.token === token);
  const first = new Map<string, Shown>();
  for (const one of its) {
    const { text, state, reminder, open } = one;
    const name = JSON.stringify([text, state, reminder, open]);
    if (!first.has(name)) first.set(name, one);
  }
  return [...first.values()];
}

async function started(opened: Opened, settings: Env, count: number): Promise<Servers> {
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
  return { sandbox, first, last };
}

async function insist({ first: { team } }: Servers, slug: string): Promise<void> {
  if (slug !== 'alerts') granted(await team.store.createChannel({ workspace: 'acme', slug }));
  granted(await team.store.updateChannel({ workspace: 'acme', slug, insist: { repeat: 60, until: 3_000 } }));
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

async function postStorm({ first, last }: Servers): Promise<void> {
  const post = async ({ team }: Server, nth: number) => {
    for (let n = nth; n < STORM; n += 20) {
      const posted = () => team.post({ channel: 'storm', title: `Disk ${n} full`, ...INSISTING });
      assert.is((await retrying(posted)).status, 202);
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, nth) => post(nth % 2 === 0 ? first : last, nth)));
}
