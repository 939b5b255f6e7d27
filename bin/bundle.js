#!/usr/bin/env node
// Bundles the program into dist/program: a few files for each process and thread, with source maps. Loading hundreds of
// small modules dominates a start. setup.js calls it after the compiler.

import { readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));

const PROGRAM = 'dist/program';
/** Renamed at the end, since a server may run from it. */
const OUTPUT = `${PROGRAM}.new`;
const PACKAGES = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).dependencies);
/** Packages of many files that a start loads, bundled with their dependencies. */
const INSIDE = [
  '@koa/router',
  'ajv',
  'commander',
  'fastest-levenshtein',
  'smol-toml',
  'string-width',
  'uuid',
  'wrap-ansi',
];
/** Imported by each entry before all else. */
const IN_EACH = ['src/process/source-places.ts', 'src/process/address-attempts.ts'];
const IMPORTS_IN_EACH = IN_EACH.map((module) => `import '${join(process.cwd(), module)}';`).join('');
const PROVIDERS = ['@parse/node-apn', 'firebase-admin', 'node-forge', 'web-push'];

/** Importing node:http runs its getters, and one loads undici (4 MB, 20 ms). `require` does not. */
const requiredHttp = {
  name: 'required-http',
  enforce: 'pre',
  resolveId: (id, _importer, { kind }) =>
    kind === 'import-statement' && /^(?:node:)?http$/.test(id) ? '\0http' : null,
  load(id) {
    if (id !== '\0http') return null;
    const parts = Object.getOwnPropertyDescriptors(createRequire(import.meta.url)('node:http'));
    const names = Object.keys(parts).filter((name) => 'value' in parts[name]);
    return `import { createRequire } from 'node:module';
      const http = createRequire(import.meta.url)('node:http');
      export const { ${names.join()} } = http;
      export default http;`;
  },
};

/** Puts the settings of all processes and threads before each entry. */
const inEach = (entry) => ({
  name: 'in-each',
  transform: (code, id) => (id.endsWith(`/src/${entry}.ts`) ? { code: `${IMPORTS_IN_EACH}${code}`, map: null } : null),
});

/** V8 takes 30 ms and 4 MB to parse string-width's pattern of emoji. Every command loads it, and few print an emoji. */
const lateEmoji = {
  name: 'late-emoji',
  transform(code, id) {
    if (!id.includes('/node_modules/string-width/')) return null;
    const [before, after] = code.split('= /^\\p{RGI_Emoji}$/v;');
    if (after === undefined) throw new Error(`${id} has another pattern of emoji`);
    const late = String.raw`{ test(text) { return (this.pattern ??= new RegExp('^\\p{RGI_Emoji}$', 'v')).test(text); } };`;
    return { code: `${before}= ${late}${after}`, map: null };
  },
};

/** V8 keeps the text of a file, with two bytes for each character unless all are of Latin-1. */
const inAscii = {
  name: 'in-ascii',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) file.code &&= file.code.replace(/[^\0-\x7f]/g, escaped);
  },
};
const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

const { ENTRY_POINTS } = await import('../dist/src/process/entry-points.js');
rmSync(OUTPUT, { recursive: true, force: true });
// Threads share no modules, so each entry gets one file.
for (const entry of ENTRY_POINTS) await build(bundle(entry));
rmSync(PROGRAM, { recursive: true, force: true });
renameSync(OUTPUT, PROGRAM);

function bundle(entry) {
  const inside = entry === 'delivery/worker' ? [...INSIDE, ...PROVIDERS] : INSIDE;
  return {
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [requiredHttp, inEach(entry), lateEmoji, inAscii],
    ssr: { noExternal: true, external: PACKAGES.filter((name) => !inside.includes(name)) },
    build: {
      ssr: true,
      target: 'es2024',
      outDir: OUTPUT,
      emptyOutDir: false,
      sourcemap: true,
      rolldownOptions: {
        input: { [entry]: `src/${entry}.ts` },
        // Slow machines are not the program's fault.
        checks: { bundlerTimings: false },
        onwarn: (warning) => {
          throw new Error(`${entry}: ${warning.message}`);
        },
        output: {
          entryFileNames: '[name].js',
          // Names stay, since a server that is being upgraded may load more.
          chunkFileNames: `parts/${basename(entry)}/[name].js`,
          minifyInternalExports: false,
          comments: false,
          sourcemapExcludeSources: true,
        },
      },
    },
  };
}
