import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Line, Skipped } from '../lines.ts';
import { type Binaries, PEERS, type PeerName } from '../peers.ts';
import type { RelayHandlers } from '../processes/relay.ts';
import { CONNECTIONS, column, type Sent, type Side, sideOf, storing } from '../sides.ts';
import type { Site } from '../site.ts';
import { alternate } from '../slices.ts';
import { ratios } from '../statistics.ts';

const SETTLE_MS = 2_000;
const MB = 1024 * 1024;

/** Another server, and what an answer of it means. */
interface Other extends Side {
  readonly name: string;
  readonly promises: string;
  readonly check: () => void;
}

/** What other servers of the kind do with the same messages, none of which has a device: those whose binary is there. */
export async function peers(site: Site, binaries: Binaries): Promise<(Line | Skipped)[]> {
  const { apiKey } = await site.fixture();
  const sandbox = await site.startSandbox();
  const server = await site.startServer({ database: 'empty', sends: true }, sandbox);
  const ours = await sideOf(site, server.process, { url: server.url, apiKey });
  const others = [await startRelay()];
  const missing: Skipped[] = [];
  for (const name of Object.keys(PEERS) as PeerName[]) {
    const binary = binaries[name];
    if (binary === undefined)
      missing.push({ what: PEERS[name].title, because: `its binary was not named (\`--${name} <binary>\`)` });
    else others.push(await startPeer(name, binary));
  }

  await pause(SETTLE_MS);
  const idleMb = await residentMb([ours, ...others]);
  const sides = [ours, ...others].map((side, index) => [index, () => storing(side)] as const);
  const slices: Readonly<Record<number, readonly Sent[]>> = await alternate(Object.fromEntries(sides));
  const usedMb = await residentMb([ours, ...others]);
  for (const { check } of others) check();
  return [...others.flatMap((other, index) => linesOf(other, index + 1)), ...missing];

  async function startRelay(): Promise<Other> {
    const process = await site.start<RelayHandlers>('relay');
    const url = await process.ask('open', { access: await sandbox.ask('access', undefined), devices: {} });
    const side = await sideOf(site, process, { url, apiKey });
    return { ...side, name: 'a relay', promises: 'keeps none of them', check() {} };
  }

  async function startPeer(name: PeerName, binary: string): Promise<Other> {
    const { title, promises, start } = PEERS[name];
    const folder = join(site.folder, name);
    mkdirSync(folder);
    const { process, version, target, check } = await start(binary, folder);
    const side = await sideOf(site, site.endWithSite(process), target);
    return { ...side, name: `${title} ${version}`, promises, check };
  }

  function linesOf({ name, promises }: Other, index: number): Line[] {
    const compared = (what: string, against: string, of: (side: number) => readonly number[], unit: string): Line => ({
      what,
      against,
      unit: '×',
      want: null,
      values: ratios(of(0), of(index)),
      raw: { [`pushctl, ${unit}`]: of(0), [`${name}, ${unit}`]: of(index) },
    });
    const stored = (name: keyof Sent) => (side: number) => column(slices[side] ?? [], name);
    return [
      compared(
        `messages stored a second by pushctl, each synced before its answer, ${CONNECTIONS} connections`,
        `${name}: ${promises}`,
        stored('perSecond'),
        '/s',
      ),
      compared('CPU of the whole server for a stored message', name, stored('cpuUs'), 'µs'),
      compared('resident memory, idle', name, (side) => idleMb.slice(side, side + 1), 'MB'),
      compared('resident memory after these messages', name, (side) => usedMb.slice(side, side + 1), 'MB'),
    ];
  }
}

function residentMb(sides: readonly Side[]): Promise<number[]> {
  return Promise.all(sides.map(async ({ process }) => (await process.usage()).residentBytes / MB));
}
