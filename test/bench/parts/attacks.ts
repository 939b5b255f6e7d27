import { join } from 'node:path';
import { openLocalStore } from '../../../src/store/transports/socket-or-in-process.ts';
import { EVE } from '../../support/cast.ts';
import { signIn } from '../../support/sign-in.ts';
import { additionsTo, anEvent, workspaceIdOf } from '../../support/workspace.ts';
import { SETTINGS } from '../fixture.ts';
import { type Line, line, ratio } from '../lines.ts';
import type { AttackerHandlers, AttackName } from '../processes/attacker.ts';
import type { Child } from '../processes/child.ts';
import type { Load } from '../processes/load.ts';
import type { Server, Site } from '../site.ts';
import { alternate } from '../slices.ts';
import { quantile } from '../statistics.ts';
import { watched } from '../watched.ts';
import { storms } from './storms.ts';

const SLICE_MS = 800;
/** After an attack, before the server without one is measured. */
const CALM_MS = 1_000;
/** Good clients that post one event after another: the server is busy, and not at its limit. */
const CONNECTIONS = 4;
const MB = 1024 * 1024;
/** The events that a search looks through. */
const EVENTS = 50_000;
const ACCEPTED_AT_ONCE = 1_000;

/** In words. */
export const ATTACKS: Readonly<Record<AttackName, string>> = {
  unread: '60 connections, each with 1,500 requests for the API’s description and no answer read',
  pipelined: '10,000 requests at once on one connection',
  halves: '170 half-sent sign-ins a second',
  silent: '2,000 silent connections of one address',
  signIns: 'wrong sign-ins without end, 100 at a time, from 200 addresses',
  nowhere: 'new connections without end, 100 at a time, from 200 addresses, each with a request for nothing',
  bodies: 'the worst bodies of all formats of senders, of 64 KiB, 20 a second by a sender’s key',
  searches: 'searches of a member through 50,000 events without end, 120 at a time',
  heldBodies: '1,000 bodies of a member that never finish, 64,000 of 65,000 bytes each, from 50 addresses',
  silentMails: '256 silent connections of eight addresses to the SMTP listener',
  endlessMails: 'eight mails without end',
  readers: '16 connections to the read-only socket, each with 4,000 lists of events and none read',
  largeBodies: 'the worst bodies of 4 MiB of Alertmanager’s format, compressed, 20 a second by a sender’s key',
};

/** Measures how good clients fare beside bad ones, who have no key, a sender's, or a session of another workspace. */
export async function attacks(site: Site): Promise<Line[]> {
  const { server, attacker } = await startAttacked(site);
  const load = await site.openLoad(server.url, 'single', CONNECTIONS);
  const posting = () => load.ask('run', { ms: SLICE_MS });
  const alone = async (): Promise<Load> => {
    await load.ask('run', { ms: CALM_MS });
    return posting();
  };
  const lines: Line[] = [];
  const peaks: number[] = [];
  for (const [name, what] of Object.entries(ATTACKS) as [AttackName, string][]) {
    const under = async (): Promise<Load> => {
      await attacker.ask('start', name);
      const { result, peakBytes } = await watched(server, posting());
      peaks.push(peakBytes / MB);
      await attacker.ask('stop', undefined);
      return result;
    };
    const slices = await alternate({ alone, under });
    const p99 = (side: 'alone' | 'under') => slices[side].map(({ p99Ms }) => p99Ms);
    lines.push(
      ratio(`events posted while there are ${what}: p99`, 'p99 ms', p99('under'), ['without', p99('alone')], {
        want: { atMost: 5 },
        raw: {
          'requests/s': slices.under.map(({ perSecond }) => perSecond),
          'requests/s without': slices.alone.map(({ perSecond }) => perSecond),
        },
      }),
    );
  }
  const memory = line('resident memory under these attacks, at most', 'MB', [Math.max(...peaks)], {
    want: { atMost: 400 },
    raw: { 'MB, by attack and slice': peaks },
  });
  return [...lines, memory, ...(await storms(site))];
}

/** The median of the slices. */
export function p99MsOf(slices: readonly Load[]): number {
  return quantile(
    slices.map(({ p99Ms }) => p99Ms),
    0.5,
  );
}

/** A server, and a client that is ready to attack it: with a sender's key, and as a member of a full workspace. */
export async function startAttacked(site: Site): Promise<{ server: Server; attacker: Child<AttackerHandlers> }> {
  const dataDir = await site.dataFolder('empty');
  await fill(dataDir);
  const readSocket = join(dataDir, 'readers.sock');
  const env = { PUSHCTL_SENDERS_SMTP_LISTEN: '127.0.0.1:0', PUSHCTL_READ_SOCKET: readSocket };
  const server = await site.startServerIn(dataDir, { sends: false, env });
  const store = await site.storeIn(dataDir);
  const token = await signIn({ http: server, store }, EVE);
  await store.close();
  const attacker = await site.start<AttackerHandlers>('attacker');
  const mailPort = (await server.process.ask('mailPort', undefined)) ?? 0;
  const { attackerKey: key } = await site.fixture();
  await attacker.ask('prepare', { url: server.url, mailPort, readSocket, key, token });
  return { server, attacker };
}

async function fill(dataDir: string): Promise<void> {
  const store = await openLocalStore({ dataDir, settings: { ...SETTINGS } });
  await additionsTo(store, { workspace: 'evil' }).join(EVE);
  const workspaceId = await workspaceIdOf(store, 'evil');
  for (let accepted = 0; accepted < EVENTS; accepted += ACCEPTED_AT_ONCE) {
    const events = Array.from({ length: ACCEPTED_AT_ONCE }, () => store.acceptEvent(anEvent(workspaceId)));
    for (const { kind } of await Promise.all(events)) if (kind !== 'accepted') throw new Error(`an event is ${kind}`);
  }
  await store.close();
}
