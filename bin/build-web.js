#!/usr/bin/env node
// Builds the web app into dist/web: type check, bundles, compressed copies. setup.js calls it after api-types.js.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { FIRST, inLanguage, LANGUAGES } from './web-texts.js';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
// Without it, Vite's `runnerImport` sets development, and elements carry source paths of this checkout.
process.env.NODE_ENV = 'production';

const SOURCE = 'src/web';
const OUTPUT = 'dist/web';
/** The first browsers with Web Push: Safari 16.4 and its contemporaries. */
const BROWSERS = ['chrome111', 'firefox114', 'safari16.4'];
/** One shared file compresses better than several, and is one request. */
const BASE = {
  name: 'base',
  test: /node_modules\/preact(-iso)?\/|src\/web\/(session|shared|format\/(numbers|time)|api\/(ask|changes|unread|use-\w+)|components\/(page|problem-note|loading)|texts\/(\w+\/)?common)\.tsx?$/,
};
/** Slow machines are not the app's fault. */
const QUIET = { bundlerTimings: false };
const COMPRESSED = ['.html', '.js', '.css', '.svg', '.webmanifest'];

for (const project of [SOURCE, `${SOURCE}/worker`]) check(project);
const { build } = await import('vite');
const assets = {};
for (const language of LANGUAGES) assets[language] = await buildApp(language);
await build(worker(shellOf(assets)));
await build(reference());
for (const file of filesBelow(OUTPUT)) compress(file);

function check(project) {
  const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}

/** Builds the app in one language: `index.de.html` and its assets. */
async function buildApp(language) {
  const { output } = await build(app(language, await inLanguage(language)));
  renameSync(join(OUTPUT, 'index.html'), join(OUTPUT, `index.${language}.html`));
  return output.map(({ fileName }) => `/${fileName}`).filter((address) => address.startsWith('/assets/'));
}

function app(language, texts) {
  return {
    ...common(),
    plugins: [texts],
    publicDir: 'public',
    build: {
      ...common().build,
      emptyOutDir: language === FIRST,
      // All supported browsers have it; a polyfill would be an inline script.
      modulePreload: { polyfill: false },
      manifest: `.vite/manifest.${language}.json`,
      rolldownOptions: { checks: QUIET, output: { codeSplitting: { groups: [BASE] } } },
    },
  };
}

/** An unhashed classic script, whose address stays. */
function worker(shell) {
  return {
    ...common(),
    publicDir: false,
    define: { SHELL: JSON.stringify(shell) },
    build: {
      ...common().build,
      emptyOutDir: false,
      rolldownOptions: {
        checks: QUIET,
        input: `${SOURCE}/worker/sw.ts`,
        output: { format: 'iife', entryFileNames: 'sw.js' },
      },
    },
  };
}

/** Builds the style of the API reference, whose page the server makes. */
function reference() {
  return {
    ...common(),
    publicDir: false,
    build: {
      ...common().build,
      emptyOutDir: false,
      rolldownOptions: { checks: QUIET, input: `${SOURCE}/styles/reference.css` },
    },
  };
}

function common() {
  return {
    root: SOURCE,
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: join('../..', OUTPUT),
      target: BROWSERS,
      // The pages' policy allows only pictures inline.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  };
}

/** Returns the addresses needed to start offline (assets by language), and a name that changes with them. */
function shellOf(assets) {
  const version = createHash('sha256');
  for (const language of LANGUAGES) version.update(readFileSync(join(OUTPUT, `index.${language}.html`)));
  const files = ['/manifest.webmanifest', '/icon.svg'];
  return { version: version.update(JSON.stringify(assets)).digest('hex').slice(0, 16), files, assets };
}

function compress(file) {
  if (!COMPRESSED.includes(extname(file))) return;
  const bytes = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
