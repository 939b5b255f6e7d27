import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, BOB } from '../support/cast.ts';
import { startServers } from '../support/insisting-servers.ts';
import { temporarySchema } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, type Env, serverEnv, type Team } from '../support/server.ts';
import { until, untilIs } from '../support/until.ts';
import { additionsTo } from '../support/workspace.ts';
import { serverProcess } from './server-process.ts';
import { readingFrom } from './stopped-data.ts';

const test = suite('on call: handovers at a crash');

const KILLS = 20;
const HANDOVERS = 10;
const ENDS_IN_MS = 2_000;
const ROTA = { workspace: 'acme', slug: 'payments' } as const;
/** How far the end of an override is at a kill, as the database says. */
const STAGES = ['waiting', 'over'] as const;

test(`A server that is killed around a handover, ${KILLS} times, posts one pair of pushes for each`, async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const env = await serverEnv(sandbox);
  const arrived = pushesTo(sandbox);
  const start = async () => {
    const server = serverProcess(opened, env);
    return { server, team: opened.add(await aTeam(env, await server.url)) };
  };
  let running = await start();
  await aRota(running.team, sandbox);
  const { pairs, stage } = readingOf(env);
  const before = (await pairs()).length;
  const killedAt = { waiting: 0, over: 0 };
  for (let nth = 1; nth <= KILLS; nth += 1) {
    const place = nth % STAGES.length;
    const endMs = await overrideSoon(running.team);
    // Kills fall up to 20 ms around the end.
    if (place === 0) await pause(Math.max(0, endMs - Date.now() - (nth % 20)));
    else await until('the handover', async () => (await stage()) === 'over');
    await running.server.end('SIGKILL');
    killedAt[await stage()] += 1;
    running = await start();
    await untilIs('both ends of the override are announced', async () => (await pairs()).length, before + 4 * nth);
  }
  await untilIs('all pushes arrive', async () => new Set(arrived()).size, (await pairs()).length);
  assert.is((await pairs()).length, before + 4 * KILLS, 'and nothing more');
  assert.ok(killedAt.waiting > 0, 'before the handover');
  assert.ok(killedAt.over > 0, 'behind it');
  process.stdout.write(`\nkilled at ${JSON.stringify(killedAt)}, ${arrived().length} pushes arrived\n`);
});

test(`Two servers over one PostgreSQL post one pair of pushes for each of ${HANDOVERS} handovers`, async () => {
  await using opened = new Resources();
  const { env, sandbox, first, last } = await startServers(opened, { PUSHCTL_STORE_URL: await temporarySchema() }, 2);
  const arrived = pushesTo(sandbox);
  await aRota(first.team, sandbox);
  const { pairs } = readingOf(env);
  const before = (await pairs()).length;
  for (let nth = 1; nth <= HANDOVERS / 2; nth += 1) {
    await overrideSoon((nth % 2 === 0 ? first : last).team);
    await untilIs('both ends of the override are announced', async () => (await pairs()).length, before + 4 * nth);
  }
  await untilIs('all pushes arrive', async () => new Set(arrived()).size, (await pairs()).length);
  assert.is(arrived().length, (await pairs()).length, 'once');
});

test.run();

/** Ada is on call. She and Bob have a device. */
async function aRota({ store, join }: Team, sandbox: Sandbox): Promise<void> {
  await join(BOB);
  for (const email of [ADA, BOB])
    await additionsTo(store).addDevice({ token: sandbox.token({ platform: 'ios' }), subscribe: ['alerts'] }, email);
  granted(await store.createRota({ ...ROTA, members: [ADA], handover: { every: 'day', at: '00:00' } }));
}

/** Puts Bob on call for a short time. Returns until when. */
async function overrideSoon({ store }: Team): Promise<number> {
  const untilMs = Date.now() + ENDS_IN_MS;
  granted(await store.addOverride({ ...ROTA, member: BOB, untilMs }));
  return untilMs;
}

function readingOf(env: Env) {
  const rows = readingFrom(env);
  return {
    /** Stored pushes of handovers. */
    pairs: () => rows<{ id: number }>("SELECT id FROM event WHERE kind = 'notice' AND title LIKE '%on call for%'"),
    async stage(): Promise<(typeof STAGES)[number]> {
      const [waiting] = await rows('SELECT id FROM rota WHERE next_at IS NOT NULL');
      return waiting === undefined ? 'over' : 'waiting';
    },
  };
}

/** The events of the pushes that have arrived, copies too. */
function pushesTo(sandbox: Sandbox): () => readonly string[] {
  const arrived: string[] = [];
  sandbox.onPush(({ payload }) => {
    const id = /evt_[0-9a-z]{26}/.exec(JSON.stringify(payload))?.[0];
    if (id !== undefined) arrived.push(id);
  });
  return () => arrived;
}
