/**
 * `npm run bench [-- [--save] part…]`: how fast the server is, beside what the machine can do at all. Every figure is the
 * median of five slices or more, with its quartiles. Both sides of a ratio are measured in turns. `--save` writes the
 * tables into docs/benchmarks.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { packagePath } from '../../src/process/package.ts';
import { readArguments } from './arguments.ts';
import { isReached, type Line, rawOf, type Skipped, tableOf } from './lines.ts';
import { PAGE, withTables } from './page.ts';
import { attacks } from './parts/attacks.ts';
import { cluster } from './parts/cluster.ts';
import { fanOut } from './parts/fan-out.ts';
import { hops } from './parts/hops.ts';
import { idle } from './parts/idle.ts';
import { imports } from './parts/imports.ts';
import { accept, ingest } from './parts/ingest.ts';
import { need } from './parts/need.ts';
import { onCall } from './parts/on-call.ts';
import { outage } from './parts/outage.ts';
import { relay } from './parts/relay.ts';
import { smallEvents } from './parts/small-events.ts';
import { smallMachine } from './parts/small-machine.ts';
import { streams } from './parts/streams.ts';
import { Site } from './site.ts';

type Part = (site: Site) => Promise<(Line | Skipped)[]>;

const PARTS: Readonly<Record<string, Part>> = {
  ingest,
  accept,
  attacks,
  cluster,
  'fan-out': fanOut,
  import: imports,
  'small-events': smallEvents,
  'small-machine': smallMachine,
  'on-call': onCall,
  relay,
  hops,
  outage,
  idle,
  streams,
  need,
};

/** Parts for information: measured only if they are named. */
const ONLY_NAMED = new Set(['hops', 'need']);

// The folders go with the process, so an early end leaves nothing behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

process.exitCode = await run(process.argv.slice(2));

/** Returns 0 if everything was reached, 1 if something was missed, 2 for wrong arguments. */
async function run(args: readonly string[]): Promise<number> {
  const asked = readArguments(args, Object.keys(PARTS));
  if (typeof asked === 'string') {
    process.stderr.write(`${asked}\n`);
    return 2;
  }
  const { parts, isSaving } = asked;
  const startMs = performance.now();
  print(machine().join('\n'));
  const measured = new Map<string, readonly (Line | Skipped)[]>();
  for (const [name, part] of Object.entries(PARTS)) {
    if (parts.length === 0 ? !ONLY_NAMED.has(name) : parts.includes(name))
      measured.set(name, await measure(name, part));
  }
  const lines = [...measured.values()].flat();
  print(tableOf(lines));
  print(`${((performance.now() - startMs) / 60_000).toFixed(1)} minutes`);
  if (isSaving) save(measured);
  return lines.every((line) => ('because' in line ? !line.isFault : isReached(line))) ? 0 : 1;
}

/** Leaves the earlier table of a part that broke off. */
function save(measured: ReadonlyMap<string, readonly (Line | Skipped)[]>): void {
  const whole = [...measured].filter(([, lines]) => !lines.some((line) => 'because' in line && line.isFault));
  const where = `Measured on ${machine().join('; ')}.`;
  const tables = new Map(whole.map(([name, lines]) => [name, `${tableOf(lines)}\n\n${where}`]));
  const path = packagePath(PAGE);
  writeFileSync(path, withTables(readFileSync(path, 'utf8'), tables));
}

/** Gives each part its own site, so that nothing of an earlier part slows a later one. */
async function measure(name: string, part: Part): ReturnType<Part> {
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

function machine(): readonly string[] {
  const [cpu] = cpus();
  const { node, v8, openssl } = process.versions;
  return [
    `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 1024 ** 3)} GB, Linux ${release()}`,
    `Node ${node}, V8 ${v8}, OpenSSL ${openssl}`,
    new Date().toISOString().slice(0, 10),
  ];
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}
