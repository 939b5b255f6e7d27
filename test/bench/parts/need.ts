import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openLocalStore } from '../../../src/store/transports/socket-or-in-process.ts';
import { device, importAll, SETTINGS } from '../fixture.ts';
import { type Line, line } from '../lines.ts';
import type { Site } from '../site.ts';
import { quantile } from '../statistics.ts';
import { fillWith } from '../volume.ts';

const MB = 1024 * 1024;
const SETTLE_MS = 2_000;
const READS = 20;

/** Teams, and what is in their database after three months: events of 90 days, deliveries of 30. */
const TEAMS = [
  { name: 'five people', devices: 10, eventsADay: 100, devicesAnEvent: 10, perSecond: 1 },
  { name: 'fifty people', devices: 150, eventsADay: 5_000, devicesAnEvent: 10, perSecond: 5 },
  { name: 'five hundred people', devices: 2_000, eventsADay: 111_112, devicesAnEvent: 1, perSecond: 50 },
] as const;
type Team = (typeof TEAMS)[number];

const DAYS = 90;
const DELIVERY_DAYS = 30;
const LOAD_MS = 10_000;

/** How much disk and memory a team needs, once its database is as full as it becomes. For docs/how-much.md. */
export async function need(site: Site): Promise<Line[]> {
  const lines: Line[] = [];
  for (const team of TEAMS) lines.push(...(await needOf(site, team)));
  return lines;
}

async function needOf(site: Site, team: Team): Promise<Line[]> {
  const dataDir = await site.dataFolder('empty');
  const store = await openLocalStore({ dataDir, settings: { ...SETTINGS } });
  await importAll(
    store,
    Array.from({ length: team.devices }, () => device('team')),
  );
  await store.close();
  const events = team.eventsADay * DAYS;
  const full = { events, days: DAYS, deliveryDays: DELIVERY_DAYS, devicesAnEvent: team.devicesAnEvent };
  const builtInMs = fillWith(dataDir, full);
  const diskMb = statSync(join(dataDir, 'pushctl.db')).size / MB;

  const sandbox = await site.startSandbox();
  const startMs = performance.now();
  const { process, url } = await site.startServerIn(dataDir, { sends: true }, sandbox);
  const startedInMs = performance.now() - startMs;
  await pause(SETTLE_MS);
  const idle = await process.usage();
  const load = await site.openLoad(url, 'single', 64);
  const answered = await load.ask('steadily', { perSecond: team.perSecond, ms: LOAD_MS });
  const waits = [...answered.values()].map(({ sentMs, answeredMs }) => answeredMs - sentMs);
  const pageMs = await pages(url, (await site.fixture()).apiKey);
  const busy = await process.usage();
  await process.kill();
  await sandbox.kill();

  const who = `${team.name}: ${team.devices} devices, ${events.toLocaleString('en')} events`;
  return [
    line(`${who}: the database on the disk`, 'MB', [diskMb], { raw: { 'rows made in ms': [builtInMs] } }),
    line(`${who}: resident memory, idle`, 'MB', [idle.residentBytes / MB]),
    line(`${who}: resident memory after ${team.perSecond} events a second and lists`, 'MB', [busy.residentBytes / MB]),
    line(`${who}: start, until it answers`, 'ms', [startedInMs]),
    line(`${who}: POST of an event, ${team.perSecond} a second`, 'ms', waits, {
      raw: { 'p99 ms': [quantile(waits, 0.99)] },
    }),
    line(`${who}: a page of the newest events`, 'ms', pageMs),
  ];
}

async function pages(url: string, apiKey: string): Promise<number[]> {
  const tookMs: number[] = [];
  for (let read = 0; read < READS; read += 1) {
    const startMs = performance.now();
    const answer = await fetch(`${url}/api/v1/events?limit=100`, { headers: { Authorization: `Bearer ${apiKey}` } });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`the list of events answered ${answer.status}`);
    tookMs.push(performance.now() - startMs);
  }
  return tookMs;
}
