import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { INSISTING, startServers } from '../support/insisting-servers.ts';
import { temporarySchema } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, type Env, serverEnv, type Team } from '../support/server.ts';
import { until, untilIs } from '../support/until.ts';
import { serverProcess } from './server-process.ts';
import { readingFrom } from './stopped-data.ts';

const test = suite('maintenance: ends at a crash');

const KILLS = 20;
/** How far an end is at a kill, as the database says. */
const STAGES = ['begun', 'within', 'over'] as const;
/** Several rounds of an end, so that kills fall between two. */
const ALERTS = 450;
const ENDS = 10;
const NODE_KILLS = 6;
/** The claims of a killed node are free by then. */
const LEASE_MS = 60_000;
const ENDS_IN_MS = 300;
const BUNDLE = `Maintenance over: ${ALERTS} alerts open`;

test(`A server that is killed at the end of a maintenance, ${KILLS} times, posts one bundle for each end`, async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const env = await serverEnv(sandbox);
  const arrived = bundlesAt(sandbox);
  const start = async () => {
    const server = serverProcess(opened, env);
    return { server, team: opened.add(await aTeam(env, await server.url)) };
  };
  let running = await start();
  await openAlerts(running.team, sandbox);
  const bundles = bundlesIn(env);
  const stage = stageIn(env);
  const killedAt = { begun: 0, within: 0, over: 0 };
  for (let nth = 1; nth <= KILLS; nth += 1) {
    const place = nth % STAGES.length;
    const endMs = await endSoon(running.team);
    await pause(endMs - Date.now());
    await until('the stage', async () => STAGES.indexOf(await stage()) >= place);
    await running.server.end('SIGKILL');
    killedAt[await stage()] += 1;
    running = await start();
    await untilOver(running.team);
    assert.is(await bundles(), nth);
    await until('the bundle arrives', () => arrived() >= nth || arrived());
  }
  assert.ok(killedAt.begun + killedAt.within > 0, 'before the bundle');
  assert.ok(killedAt.over > 0, 'behind it');
  process.stdout.write(`\nkilled at ${JSON.stringify(killedAt)}\n`);
});

test(`Two servers over one PostgreSQL post one bundle for each of ${ENDS} ends`, async () => {
  await using opened = new Resources();
  const { env, sandbox, first, last } = await startServers(opened, { PUSHCTL_STORE_URL: await temporarySchema() }, 2);
  const arrived = bundlesAt(sandbox);
  await openAlerts(first.team, sandbox);
  const bundles = bundlesIn(env);
  for (let nth = 1; nth <= ENDS; nth += 1) {
    const { team } = nth % 2 === 0 ? first : last;
    await endSoon(team);
    await untilOver(team);
    assert.is(await bundles(), nth);
    await untilIs('the bundle arrives', arrived, nth);
  }
});

test(`If a node of two is killed at an end of maintenance, ${NODE_KILLS} times, each end has one bundle`, async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const common = await serverEnv(sandbox, { PUSHCTL_STORE_URL: await temporarySchema() });
  const start = async (env: Env) => {
    const server = serverProcess(opened, env);
    return { env, server, team: opened.add(await aTeam(env, await server.url)) };
  };
  let survivor = await start(common);
  let victim = await start({ ...common, PUSHCTL_DATA_DIR: temporaryFolder() });
  await openAlerts(survivor.team, sandbox);
  const arrived = bundlesAt(sandbox);
  const bundles = bundlesIn(common);
  const stage = stageIn(common);
  const killedAt = { begun: 0, within: 0, over: 0 };
  for (let nth = 1; nth <= NODE_KILLS; nth += 1) {
    const place = nth % STAGES.length;
    const endMs = await endSoon(survivor.team);
    await pause(endMs - Date.now());
    await until('the stage', async () => STAGES.indexOf(await stage()) >= place);
    await victim.server.end('SIGKILL');
    killedAt[await stage()] += 1;
    await untilOver(survivor.team);
    assert.is(await bundles(), nth);
    [victim, survivor] = [survivor, await start(victim.env)];
  }
  await until('each bundle arrives', () => arrived() >= NODE_KILLS || arrived(), LEASE_MS);
  assert.is(await bundles(), NODE_KILLS);
  process.stdout.write(`\na node killed at ${JSON.stringify(killedAt)}\n`);
});

test.run();

/** More alerts than one step of an end takes, in a channel with a device. */
async function openAlerts(team: Team, sandbox: Sandbox): Promise<void> {
  const insist = { repeat: 3_600, until: 86_400 };
  granted(await team.store.updateChannel({ workspace: 'acme', slug: 'alerts', insist }));
  await team.addDevice(sandbox, { platform: 'ios' });
  for (let n = 0; n < ALERTS; n += 1) {
    assert.is((await team.post({ title: `Disk ${n} full`, collapse_key: `disk-${n}`, ...INSISTING })).status, 202);
  }
}

/** Starts a maintenance that is over soon. Returns when. */
async function endSoon({ store }: Team): Promise<number> {
  const window = { workspace: 'acme', slug: 'alerts' } as const;
  const { id } = granted(await store.createMaintenance({ ...window, for: 3_600 }));
  const untilMs = Date.now() + ENDS_IN_MS;
  granted(await store.updateMaintenance({ ...window, id, untilMs }));
  return untilMs;
}

function untilOver({ store }: Team): Promise<void> {
  return untilIs(
    'the window is gone',
    async () => granted(await store.listMaintenance({ workspace: 'acme' })).length,
    0,
  );
}

/** How many are stored. */
function bundlesIn(env: Env): () => Promise<number> {
  const rows = readingFrom(env);
  return async () => (await rows(`SELECT id FROM event WHERE kind = 'reminder' AND title = '${BUNDLE}'`)).length;
}

function stageIn(env: Env): () => Promise<(typeof STAGES)[number]> {
  const rows = readingFrom(env);
  return async () => {
    const [window] = await rows<{ cursor: number }>('SELECT cursor FROM maintenance');
    if (window === undefined) return 'over';
    return window.cursor === 0 ? 'begun' : 'within';
  };
}

/** How many have arrived, copies too. */
function bundlesAt(sandbox: Sandbox): () => number {
  let arrived = 0;
  sandbox.onPush(({ payload }) => {
    if (JSON.stringify(payload).includes(BUNDLE)) arrived += 1;
  });
  return () => arrived;
}
