import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

interface Part {
  /** Its files, and its folders with a slash behind them; of several that fit a file, the longest counts. */
  readonly holds: readonly string[];
  /** The parts below it that it may know. Itself and the ground floor need no mention. */
  readonly mayImport: readonly string[];
}

const GROUND: Part = {
  holds: ['push.ts', 'process/', 'values/', 'files/'],
  mayImport: [],
};

/**
 * The house from the top down. The store's side and the providers' side meet only in the server and the command line.
 */
const PARTS: Readonly<Record<string, Part>> = {
  cli: {
    holds: ['cli/'],
    mayImport: [
      'server',
      'host',
      'acme',
      'health',
      'sandbox',
      'http',
      'changes',
      'relay',
      'threads',
      'engine-migration',
      'transports',
      'sqlite',
      'postgres',
      'store',
      'providers',
      'config',
      'contract',
    ],
  },
  server: {
    holds: ['server/'],
    mayImport: [
      'acme',
      'oidc',
      'health',
      'http',
      'relay',
      'threads',
      'transports',
      'sqlite',
      'store',
      'providers',
      'config',
      'contract',
    ],
  },
  // Runs in browsers: of the contract it knows types alone, see below.
  web: { holds: ['web/'], mayImport: ['contract'] },
  host: {
    holds: ['host/'],
    mayImport: [
      'acme',
      'oidc',
      'health',
      'transports',
      'sqlite',
      'postgres',
      'store',
      'providers',
      'config',
      'contract',
    ],
  },
  // Checks on an installation, for the server and for the doctor.
  health: { holds: ['health/'], mayImport: ['store', 'providers', 'config', 'contract'] },
  sandbox: { holds: ['sandbox/'], mayImport: ['acme', 'config', 'contract'] },
  // Certificates that the server gets by itself.
  acme: { holds: ['acme/'], mayImport: ['config'] },
  http: { holds: ['http/'], mayImport: ['oidc', 'changes', 'store', 'config', 'contract'] },
  // Notices of changes for open apps: the server notifies them, and a command the servers.
  changes: { holds: ['changes/'], mayImport: ['store', 'contract'] },
  // The provider that people sign in by.
  oidc: { holds: ['oidc/'], mayImport: ['config'] },
  relay: { holds: ['delivery/'], mayImport: ['store', 'limits', 'config', 'contract'] },
  threads: {
    holds: [
      'delivery/pool.ts',
      'delivery/generation.ts',
      'delivery/delivery-thread.ts',
      'delivery/width.ts',
      'delivery/worker.ts',
    ],
    mayImport: ['providers', 'limits', 'config', 'contract'],
  },
  limits: { holds: ['delivery/limits.ts'], mayImport: [] },
  transports: {
    holds: ['store/transports/'],
    mayImport: ['sqlite', 'postgres', 'handlers', 'store', 'config', 'contract'],
  },
  // From one engine to the other.
  'engine-migration': { holds: ['store/engine-migration/'], mayImport: ['sqlite', 'postgres', 'store'] },
  sqlite: { holds: ['store/sqlite/'], mayImport: ['queue', 'handlers', 'store', 'config', 'contract'] },
  postgres: { holds: ['store/postgres/'], mayImport: ['queue', 'handlers', 'store', 'contract'] },
  // Shared by the queues of both engines.
  queue: { holds: ['store/queue/'], mayImport: ['handlers', 'store', 'contract'] },
  handlers: { holds: ['store/handlers/'], mayImport: ['store', 'contract'] },
  store: { holds: ['store/'], mayImport: ['config', 'contract'] },
  providers: { holds: ['providers/'], mayImport: ['config', 'contract'] },
  config: { holds: ['config/'], mayImport: [] },
  contract: { holds: ['contract/'], mayImport: [] },
  ground: GROUND,
};

test('Imports in src point downwards only, and each file has its floor', () => {
  const sources = readSources(join(import.meta.dirname, '..', '..', 'src'));
  assert.ok(sources.size > 50);
  assert.equal(offences(sources), []);
});

test('The vocabulary imports nothing', () => {
  const sources = readSources(join(import.meta.dirname, '..', '..', 'src'));
  assert.equal(importsOf('push.ts', sources.get('push.ts') ?? 'no such file'), []);
});

test('No file of src imports itself by way of others', () => {
  const sources = readSources(join(import.meta.dirname, '..', '..', 'src'));
  assert.equal(circles(sources), []);
});

test('Two files that import each other are a circle', () => {
  const sources = new Map([
    ['store/a.ts', "import type { B } from './b.ts';"],
    ['store/b.ts', "import { a } from './a.ts';"],
    ['store/c.ts', "import { a } from './a.ts';"],
  ]);
  assert.equal(circles(sources), ['store/a.ts → store/b.ts → store/a.ts']);
});

test('Handlers know no engine, and callers know neither handlers nor engine', () => {
  const engine = "import type { Db } from '../sqlite/transaction.ts';";
  assert.equal(offences(new Map([['store/handlers/a.ts', engine]])), [
    'store/handlers/a.ts imports store/sqlite/transaction.ts: handlers may not know sqlite',
  ]);
  for (const made of ['http/a.ts', 'delivery/a.ts']) {
    assert.is(offences(new Map([[made, "import { b } from '../store/handlers/b.ts';"]])).length, 1);
    assert.is(offences(new Map([[made, "import { b } from '../store/sqlite/b.ts';"]])).length, 1);
  }
});

test('No engine knows another', () => {
  const sqlite = "import type { Db } from '../sqlite/transaction.ts';";
  assert.is(offences(new Map([['store/postgres/a.ts', sqlite]])).length, 1);
  assert.is(offences(new Map([['store/sqlite/a.ts', "import { b } from '../postgres/b.ts';"]])).length, 1);
});

test('An import from the store to the providers or back is an offence', () => {
  assert.equal(offences(new Map([['store/a.ts', "import { b } from '../providers/b.ts';"]])), [
    'store/a.ts imports providers/b.ts: store may not know providers',
  ]);
  assert.is(offences(new Map([['providers/b.ts', "export * from '../store/a.ts';"]])).length, 1);
});

test('The relay may import the store, the provider threads may import providers, and neither the other', () => {
  const store = "import type { A } from '../store/a.ts';";
  const providers = "import '../providers/b.ts';";
  assert.equal(offences(new Map([['delivery/relay.ts', store]])), []);
  assert.equal(offences(new Map([['delivery/worker.ts', providers]])), []);
  assert.is(offences(new Map([['delivery/relay.ts', providers]])).length, 1);
  assert.is(offences(new Map([['delivery/pool.ts', store]])).length, 1);
});

test('Nothing but the command line imports the sandbox', () => {
  const text = "const { startSandbox } = await import('../sandbox/sandbox.ts');";
  assert.equal(offences(new Map([['cli/demo.ts', text]])), []);
  for (const part of Object.keys(PARTS).filter((name) => name !== 'cli' && name !== 'sandbox')) {
    assert.not(PARTS[part]?.mayImport.includes('sandbox'), part);
  }
});

test('A thread that is started by its address is an import, too', () => {
  const text = "new URL('../providers/b.ts', import.meta.url)";
  assert.is(offences(new Map([['store/a.ts', text]])).length, 1);
});

test('The web app takes nothing but types and one list of words from outside its folder', () => {
  const sources = readSources(join(import.meta.dirname, '..', '..', 'src'));
  const taken = [...sources].flatMap(([file, text]) =>
    file.startsWith('web/') ? importsOf(file, withoutTypes(text)).filter((target) => !target.startsWith('web/')) : [],
  );
  assert.equal(taken, ['contract/push-results.ts']);
  assert.equal(importsOf('contract/push-results.ts', sources.get('contract/push-results.ts') ?? ''), []);
});

test('Nothing loads with each command that one of them alone needs: formats of senders, a server, a sandbox', () => {
  const sources = readSources(join(import.meta.dirname, '..', '..', 'src'));
  const loaded = new Set(['cli/program.ts']);
  // A set goes on to what is added meanwhile.
  for (const file of loaded) {
    const source = withoutTypes(sources.get(file) ?? '');
    // The help loads all commands, but nothing that they load later.
    const text = file === 'cli/program.ts' ? source : source.replaceAll(/\bimport\('[^']*'\)/g, '');
    for (const target of importsOf(file, text)) loaded.add(target);
  }
  const heavy = [
    'changes/',
    'contract/senders/',
    'delivery/',
    'http/',
    'server/',
    'sandbox/',
    'store/postgres/',
    'cli/demo/',
    'cli/tail/',
  ];
  const light = ['contract/senders/names.ts', 'sandbox/names.ts'];
  assert.ok(loaded.size > 50);
  assert.equal(
    [...loaded].filter((file) => heavy.some((part) => file.startsWith(part)) && !light.includes(file)),
    [],
  );
});

test('A file that belongs to no part is an offence', () => {
  assert.equal(offences(new Map([['utils.ts', '']])), ['utils.ts belongs to no part: give it one in this test']);
});

test('No part may import one above it', () => {
  const order = Object.keys(PARTS);
  for (const [index, [name, { mayImport }]] of Object.entries(PARTS).entries()) {
    for (const below of mayImport) assert.ok(order.indexOf(below) > index, `${name} → ${below}`);
  }
});

test.run();

function readSources(root: string): Map<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  return new Map(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

/** Paths are relative to src. What is imported from outside of it (packages, schemas) is free. */
function offences(sources: ReadonlyMap<string, string>): string[] {
  return [...sources].flatMap(([file, text]) => {
    const part = partOf(file);
    if (part === null) return [`${file} belongs to no part: give it one in this test`];
    const mayImport = [part, 'ground', ...(PARTS[part]?.mayImport ?? [])];
    return importsOf(file, text)
      .filter((target) => !mayImport.includes(partOf(target) ?? 'none'))
      .map((target) => `${file} imports ${target}: ${part} may not know ${partOf(target) ?? 'it'}`);
  });
}

/** Each circle once, as the way around it. */
function circles(sources: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const follow = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file);
    if (at >= 0) found.push([...way.slice(at), file].join(' → '));
    if (at >= 0 || done.has(file)) return;
    for (const target of importsOf(file, sources.get(file) ?? '')) follow(target, [...way, file]);
    done.add(file);
  };
  for (const file of sources.keys()) follow(file, []);
  return found;
}

function importsOf(file: string, text: string): string[] {
  const named = [...text.matchAll(/\b(?:from|import|import\(|new URL\()\s*'(\.[^']*)'/g)];
  return named
    .map(([, path]) => join(dirname(file), path ?? ''))
    .filter((path) => !path.startsWith('../') && /\.tsx?$/.test(path));
}

function withoutTypes(text: string): string {
  return text.replaceAll(/^import type [^;]*;$/gm, '');
}

function partOf(file: string): string | null {
  const fitting = Object.entries(PARTS).flatMap(([part, { holds }]) =>
    holds
      .filter((name) => (name.endsWith('/') ? file.startsWith(name) : file === name))
      .map((name) => ({ part, length: name.length })),
  );
  return fitting.sort((a, b) => b.length - a.length)[0]?.part ?? null;
}
