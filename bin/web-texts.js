// The languages of the web app. src/web/texts has the English modules; a folder per other language has modules of the
// same names. Each language is built alone, so no browser loads another.

import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WEB = fileURLToPath(new URL('../src/web', import.meta.url));
const TEXTS = join(WEB, 'texts');
/** The source of translations, and the fallback. */
export const FIRST = 'en';
export const LANGUAGES = [FIRST, ...foldersIn(TEXTS)];

/**
 * The texts of a language: by module, what it exports. Modules that a language has not are left out.
 *
 * @param {string} language
 * @returns {Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>>}
 */
export async function textsOf(language) {
  const { runnerImport } = await import('vite');
  const files = modulesIn(folderOf(language));
  const imports = files.map((file, at) => `import * as m${at} from ${JSON.stringify(join(folderOf(language), file))};`);
  const listed = files.map((file, at) => `${JSON.stringify(file)}: m${at}`);
  const all = `${imports.join('\n')}\nexport const texts = { ${listed.join(', ')} };`;
  const { module } = await runnerImport('virtual:texts', {
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'all-texts',
        resolveId: (id) => (id === 'virtual:texts' ? `\0${id}` : undefined),
        load: (id) => (id === '\0virtual:texts' ? all : undefined),
      },
    ],
  });
  return module.texts;
}

/**
 * The names of texts that a language has not: `alerts.ts: texts.steps.opened`, and of a module that is missing `alerts.ts`.
 *
 * @param {string} language
 */
export async function missingTexts(language) {
  const [first, own] = await Promise.all([textsOf(FIRST), textsOf(language)]);
  return Object.entries(first).flatMap(([file, texts]) =>
    own[file] === undefined ? [file] : missingIn(texts, own[file]).map((name) => `${file}: ${name}`),
  );
}

function missingIn(first, own, path = []) {
  return Object.entries(first).flatMap(([name, text]) => {
    const there = own[name];
    // Empty texts need no translation.
    if (text === null) return [];
    if (there === undefined) return [[...path, name].join('.')];
    return isGroup(text) ? missingIn(text, there, [...path, name]) : [];
  });
}

/** Lists and functions are single texts. */
function isGroup(text) {
  return typeof text === 'object' && text !== null && !Array.isArray(text);
}

/**
 * Makes Vite import the texts of the language in place of the English ones, which fill gaps.
 *
 * @param {string} language
 */
export async function inLanguage(language) {
  const [texts, missing] = [await textsOf(language), language === FIRST ? [] : await missingTexts(language)];
  for (const text of missing) console.warn(`Without a translation (${language}): ${text}`);
  const { noScript } = (texts['format.ts'] ?? (await textsOf(FIRST))['format.ts']).page;
  const isWhole = (file) => !missing.some((text) => text.startsWith(`${file}: `));
  return {
    name: 'texts',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (language === FIRST || !/^\..*\.ts$/.test(source) || importer?.startsWith(MERGED)) return;
      const found = await this.resolve(source, importer, { skipSelf: true });
      const file = found && dirname(found.id) === TEXTS ? basename(found.id) : null;
      if (file === null || texts[file] === undefined) return found;
      return isWhole(file) ? join(folderOf(language), file) : MERGED + file;
    },
    load(id) {
      if (!id.startsWith(MERGED)) return;
      const file = id.slice(MERGED.length);
      return merged(join(TEXTS, file), join(folderOf(language), file), Object.keys(texts[file]));
    },
    transformIndexHtml: (page) => page.replace('lang="en"', `lang="${language}"`).replace('%NO_SCRIPT%', noScript),
  };
}

const MERGED = '\0merged-texts:';

function merged(first, own, names) {
  return [
    `import * as first from ${JSON.stringify(first)};`,
    `import * as own from ${JSON.stringify(own)};`,
    `import { filled } from ${JSON.stringify(join(WEB, 'translation.ts'))};`,
    `export * from ${JSON.stringify(first)};`,
    ...names.map((name) => `export const ${name} = filled(own.${name}, first.${name});`),
  ].join('\n');
}

function folderOf(language) {
  return language === FIRST ? TEXTS : join(TEXTS, language);
}

function modulesIn(folder) {
  return readdirSync(folder).filter((name) => name.endsWith('.ts'));
}

function foldersIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
