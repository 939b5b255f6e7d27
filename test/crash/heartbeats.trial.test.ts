import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { temporarySchema } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, type Env, serverEnv, type Team } from '../support/server.ts';
import { serverProcess } from './server-process.ts';

const KILLS = 15;
const JOBS = 10;
/** Over PostgreSQL a ping takes three ways to the database. */
const LONGEST_MS = { SQLite: 300, PostgreSQL: 2_000 };
/** Pings of one heartbeat, between two kills. */
const MOST_PINGS = 20;

for (const [engine, settings] of [
  ['SQLite', async (): Promise<Env> => ({})],
  ['PostgreSQL', async () => ({ PUSHCTL_STORE_URL: await temporarySchema(), PUSHCTL_DATA_DIR: temporaryFolder() })],
] as const) {
  test(`Over ${engine} a ping that was answered is stored with the event that reports it, and no other`, async () => {
    await using opened = new Resources();
    const env = await serverEnv(opened.add(await aSandbox()), await settings());
    /** The last ping of each that was answered; undefined: an answer has been missing since. */
    const answered = new Map<string, 'fail' | 'success' | undefined>();
    let uuids: ReadonlyMap<string, string> = new Map();
    let taken = 0;
    for (let kill = 0; kill <= KILLS; kill += 1) {
      const server = serverProcess(opened, env);
      const url = await server.url;
      const team = await aTeam(env, url);
      if (kill === 0) uuids = await jobs(team);
      await checkStates(team, answered);
      if (kill === KILLS) await checkEvents(team);
      else {
        const stop = new AbortController();
        const pinging = [...uuids].map(async ([slug, uuid]) => {
          for (let n = 0; n < MOST_PINGS && !stop.signal.aborted; n += 1) {
            const result = (answered.get(slug) ?? 'success') === 'fail' ? 'success' : 'fail';
            answered.set(slug, undefined);
            const answer = await fetch(`${url}/ping/${uuid}/${result === 'fail' ? 'fail' : '0'}`).catch(() => null);
            if (answer?.status !== 200) return;
            answered.set(slug, result);
            taken += 1;
          }
        });
        await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS[engine]));
        stop.abort();
        await server.end('SIGKILL');
        await Promise.all(pinging);
      }
      await team.close();
    }
    assert.ok(taken > KILLS, `${taken} pings`);
  });
}

test.run();

async function jobs({ store }: Team): Promise<ReadonlyMap<string, string>> {
  const slugs = Array.from({ length: JOBS }, (_, n) => `job-${n}`);
  const made = slugs.map(async (slug) => {
    const job = granted(await store.createHeartbeat({ workspace: 'acme', channel: 'alerts', slug }));
    return [slug, job.uuid] as const;
  });
  return new Map(await Promise.all(made));
}

/** The answered state is the stored state. */
async function checkStates({ store }: Team, answered: ReadonlyMap<string, string | undefined>): Promise<void> {
  for (const { slug, state } of granted(await store.listHeartbeats({ workspace: 'acme' }))) {
    const last = answered.get(slug);
    if (last !== undefined) assert.is(state, last === 'fail' ? 'down' : 'up', slug);
  }
}

/** Downs and ways back follow each other, and the last of them is what the heartbeat's state says. */
async function checkEvents({ store }: Team): Promise<void> {
  const types = await typesOfEvents(store);
  for (const { slug, state } of granted(await store.listHeartbeats({ workspace: 'acme' }))) {
    const slugTypes = types.get(slug) ?? [];
    const wrong = slugTypes.findIndex((type, place) => type !== (place % 2 === 0 ? 'heartbeat.down' : 'heartbeat.up'));
    assert.is(wrong, -1, `${slug}: ${slugTypes.slice(Math.max(0, wrong - 2), wrong + 2).join(' ')}`);
    assert.is(state === 'down', slugTypes.at(-1) === 'heartbeat.down', `${slug} is ${state}: ${slugTypes.at(-1)}`);
  }
}

/** Returns event types by heartbeat, the oldest first. */
async function typesOfEvents(store: Team['store']): Promise<ReadonlyMap<string, readonly (string | null)[]>> {
  const types = new Map<string, (string | null)[]>();
  for (let before: string | null | undefined; before !== null; ) {
    const page = granted(await store.listEvents({ workspace: 'acme', limit: 200, ...(before && { before }) }));
    for (const { title, event_type } of page.events) {
      const slug = title.split(' ')[0] ?? '';
      types.set(slug, [event_type, ...(types.get(slug) ?? [])]);
    }
    before = page.next;
  }
  return types;
}
