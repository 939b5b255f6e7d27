/**
 * `npm run bench [-- part… [--ntfy <binary>] [--gotify <binary>]]`: how fast the server is, beside what the machine can
 * do at all. Every figure is the median of nine slices or more, with its quartiles; both sides of a ratio are measured
 * in turns.
 */
import { cpus, release, totalmem } from 'node:os';
import { readArguments } from './arguments.ts';
import { isReached, type Line, rawOf, type Skipped, tableOf } from './lines.ts';
import { attacks } from './parts/attacks.ts';
import { capacity } from './parts/capacity.ts';
import { cluster } from './parts/cluster.ts';
import { disk } from './parts/disk.ts';
import { fanOut } from './parts/fan-out.ts';
import { help } from './parts/help.ts';
import { hops } from './parts/hops.ts';
import { idle } from './parts/idle.ts';
import { imports } from './parts/imports.ts';
import { accept, ingest } from './parts/ingest.ts';
import { need } from './parts/need.ts';
import { outage } from './parts/outage.ts';
import { pages } from './parts/pages.ts';
import { peers } from './parts/peers.ts';
import { apns, fcm, webpush } from './parts/push.ts';
import { relay } from './parts/relay.ts';
import { smallEvents } from './parts/small-events.ts';
import { storm } from './parts/storm.ts';
import { streams } from './parts/streams.ts';
import { volume } from './parts/volume.ts';
import type { Binaries } from './peers.ts';
import { Site } from './site.ts';

type Part = (site: Site, binaries: Binaries) => Promise<(Line | Skipped)[]>;

const PARTS: Readonly<Record<string, Part>> = {
  ingest,
  disk,
  storm,
  attacks,
  apns,
  fcm,
  webpush,
  capacity,
  accept,
  cluster,
  'fan-out': fanOut,
  import: imports,
  'small-events': smallEvents,
  relay,
  hops,
  outage,
  idle,
  streams,
  pages,
  volume,
  help,
  need,
  peers,
};

/** For information: measured only where they are named. */
const ONLY_NAMED = new Set(['hops', 'need', 'peers']);

// Ending it early leaves nothing behind either: the folders go with the process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

process.exitCode = await run(process.argv.slice(2));

/** 0 where everything was reached, 1 where something was missed, 2 for arguments that make no sense. */
async function run(args: readonly string[]): Promise<number> {
  const read = readArguments(args, Object.keys(PARTS));
  if ('problem' in read) {
    process.stderr.write(`${read.problem}\n`);
    return 2;
  }
  const { wanted, binaries } = read;
  const startMs = performance.now();
  print(machine());
  const lines: (Line | Skipped)[] = [];
  for (const [name, part] of Object.entries(PARTS)) {
    if (wanted.length === 0 ? !ONLY_NAMED.has(name) : wanted.includes(name))
      lines.push(...(await measure(name, (site) => part(site, binaries))));
  }
  print(tableOf(lines));
  print(`${((performance.now() - startMs) / 60_000).toFixed(1)} minutes`);
  return lines.every((line) => ('because' in line ? !line.isFault : isReached(line))) ? 0 : 1;
}

/** Each part has a site of its own: nothing that one leaves behind slows the next. */
async function measure(name: string, part: (site: Site) => ReturnType<Part>): Promise<(Line | Skipped)[]> {
  const startMs = performance.now();
  const site = new Site();
  try {
    const lines = await part(site);
    print(`## ${name}, ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
    for (const line of lines) if (!('because' in line)) print(rawOf(line));
    return lines;
  } catch (error) {
    print(`## ${name} broke off: ${error instanceof Error ? error.stack : error}`);
    return [{ what: name, because: 'it broke off', isFault: true }];
  } finally {
    await site.close();
  }
}

function machine(): string {
  const [cpu] = cpus();
  const { node, v8, sqlite } = process.versions;
  const memoryGb = Math.round(totalmem() / 1024 ** 3);
  return [
    `${cpus().length} × ${cpu?.model.trim()}, ${memoryGb} GB, Linux ${release()}`,
    `Node ${node}, V8 ${v8}, OpenSSL ${process.versions.openssl}${sqlite ? `, Node's own SQLite ${sqlite}` : ''}`,
    new Date().toISOString(),
  ].join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}
