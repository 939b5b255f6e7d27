import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { temporaryFolder } from '../support/folder.ts';
import type { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, serverEnv, type Team } from '../support/server.ts';
import { ownCluster, rowsOf, socketUrl } from './own-cluster.ts';
import { serverProcess } from './server-process.ts';

/** Outages pass by the clock alone, unless this is set: then they take their time. */
const TAKES_ITS_TIME = process.env.REAL_OUTAGES !== undefined;

/** Servers whose clock can be set: that of the machine of a single one, that of the database of several. */
export interface ClockScene {
  readonly sandbox: Sandbox;
  /** On a server that runs. */
  readonly team: () => Team;
  readonly url: () => string;
  /** The time of the clock. */
  nowMs(): number;
  /** While everything runs. */
  setClock(byMs: number): void | Promise<void>;
  /** The server, or the database, fails, and is there again so much later. `isSet`: its clock is, meanwhile. */
  away(ms: number, isSet?: 'set'): Promise<void>;
  /** When a server last marked that it takes pings. */
  markedAtMs(): Promise<number>;
}

const MARK = 'SELECT wall_at FROM heartbeat_mark';

export async function overSqlite(opened: Resources): Promise<ClockScene> {
  let offMs = 0;
  const file = join(temporaryFolder(), 'clock');
  const setClock = (byMs: number) => {
    offMs += byMs;
    writeFileSync(file, String(offMs));
  };
  setClock(0);
  const nowMs = () => Date.now() + offMs;
  const sandbox = opened.add(await aSandbox({ wallMs: nowMs }));
  const preload = new URL('../support/set-clock.js', import.meta.url);
  const env = await serverEnv(sandbox, { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: file });
  const start = async () => {
    const server = serverProcess(opened, env);
    const url = await server.url;
    return { server, url, team: opened.add(await aTeam(env, url)) };
  };
  let running = await start();
  return {
    sandbox,
    team: () => running.team,
    url: () => running.url,
    nowMs,
    setClock,
    async away(ms, isSet) {
      await running.server.end('SIGKILL');
      await passed(ms, isSet, setClock);
      running = await start();
    },
    async markedAtMs() {
      const db = new Database(join(env.PUSHCTL_DATA_DIR ?? '', 'pushctl.db'), { readonly: true });
      try {
        return db.prepare<[], number>(MARK).pluck().get() ?? 0;
      } finally {
        db.close();
      }
    },
  };
}

/** In a schema whose names are found before those of PostgreSQL itself. */
const CLOCK = `
  CREATE TABLE off (ms BIGINT); INSERT INTO off VALUES (0);
  CREATE SCHEMA ours;
  CREATE FUNCTION ours.clock_timestamp() RETURNS TIMESTAMPTZ LANGUAGE sql VOLATILE AS
    'SELECT pg_catalog.clock_timestamp() + (ms + current_setting(''test.off_ms'')::bigint) * INTERVAL ''1 ms'' FROM public.off'`;

export async function overPostgres(opened: Resources): Promise<ClockScene> {
  /** Set while it ran, and while it was away. */
  let offMs = 0;
  let awayMs = 0;
  const cluster = await ownCluster(opened, { 'test.off_ms': '0' });
  await rowsOf(cluster, CLOCK);
  const sandbox = opened.add(await aSandbox());
  const url = socketUrl(cluster, '-c search_path=ours,pg_catalog');
  const common = await serverEnv(sandbox, { PUSHCTL_STORE_URL: url });
  const running: { url: string; team: Team }[] = [];
  for (const name of ['one', 'two']) {
    const env = { ...common, PUSHCTL_DATA_DIR: temporaryFolder(), PUSHCTL_STORE_NODE: name };
    const serverUrl = await serverProcess(opened, env).url;
    running.push({ url: serverUrl, team: opened.add(await aTeam(env, serverUrl)) });
  }
  const [first] = running;
  if (first === undefined) throw new Error('two were started');
  return {
    sandbox,
    team: () => first.team,
    url: () => first.url,
    nowMs: () => Date.now() + offMs + awayMs,
    async setClock(byMs) {
      offMs += byMs;
      await rowsOf(cluster, `UPDATE off SET ms = ${offMs}`);
    },
    async away(ms, isSet) {
      await cluster.stop();
      await passed(ms, isSet, (byMs) => {
        awayMs += byMs;
      });
      await cluster.start({ 'test.off_ms': String(awayMs) });
    },
    async markedAtMs() {
      const [row] = await rowsOf(cluster, MARK.replace('heartbeat_mark', 'ours.heartbeat_mark')).catch(() => []);
      return Number(row?.wall_at ?? 0);
    },
  };
}

async function passed(ms: number, isSet: 'set' | undefined, setClock: (byMs: number) => void): Promise<void> {
  if (TAKES_ITS_TIME && isSet === undefined) await pause(ms);
  else setClock(ms);
}
