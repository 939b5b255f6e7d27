/**
 * Looks at every page of the app, full and empty, at each width, in each language, in light and dark. Takes a picture of
 * each, draws sheets of many, and fails if something is wrong. Variables choose some, by commas: `LOOKS_PAGES` (parts of
 * names), `LOOKS_WIDTHS=390,1200`, `LOOKS_THEMES=dark`, `LOOKS_LANGUAGES=de`, `LOOKS_FILLS=full`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { LANGUAGES } from '../../src/web/chosen-language.ts';
import { type AppPage, openApp, signIn } from '../browsers/app-page.ts';
import { browserObstacle, launch } from '../browsers/browser.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { WATCH_SHIFTS } from './findings.ts';
import { Looking } from './looking.ts';
import { fillsOf, LOOKS } from './pages.ts';
import { aScene, FILLS } from './scene.ts';
import { drawSheets } from './sheet.ts';
import { WIDTHS } from './widths.ts';

const test = suite('looks');
const inChromium = skipWhere(browserObstacle('chromium'), test);

/** Outlives the run, whose temporary folder does not. */
const FOLDER = packagePath('dist', 'looks');
const CHOICE = {
  pages: chosen('LOOKS_PAGES', LOOKS, (look, part) => look.name.includes(part)),
  widths: chosen('LOOKS_WIDTHS', WIDTHS),
  themes: chosen('LOOKS_THEMES', ['light', 'dark']),
  languages: chosen('LOOKS_LANGUAGES', Object.keys(LANGUAGES)),
  fills: chosen('LOOKS_FILLS', FILLS),
};

inChromium('Every page looks right full and empty, at each width, in each language, in light and dark', async () => {
  await using opened = new Resources();
  mkdirSync(FOLDER, { recursive: true });
  process.stdout.write(`kept: pictures and sheets in ${FOLDER}\n`);
  const scene = await aScene(opened);
  const browser = await launch('chromium', scene.sandbox, opened);
  const looking = new Looking(scene, { folder: FOLDER, widths: CHOICE.widths, themes: CHOICE.themes });
  const openIn = async (language: string, email?: string): Promise<AppPage> => {
    const app = await openApp(browser, opened);
    await app.page.evaluateOnNewDocument(WATCH_SHIFTS);
    if (email) await signIn(app, scene.url, scene.team, email);
    await app.page.browserContext().setCookie({ name: 'language', value: language, domain: '127.0.0.1', path: '/' });
    return app;
  };
  const findings: string[] = [];
  for (const fill of CHOICE.fills) {
    for (const language of CHOICE.languages) {
      const signedIn = await openIn(language, scene.places[fill].email);
      for (const look of CHOICE.pages.filter((page) => fillsOf(page).includes(fill))) {
        const app = look.isSignedOut ? await openIn(language) : signedIn;
        findings.push(...(await looking.at(app, look, { fill, language })));
      }
    }
  }
  const drawing = await browser.newPage();
  for (const [name, pictures] of looking.pictures) await drawSheets(drawing, pictures, join(FOLDER, `sheet-${name}`));
  assert.ok(looking.pictures.size > 0, 'no page was looked at');
  assert.equal(findings, []);
});

test.run();

/** Returns all, or those that a variable names. Throws if it names nothing that is there. */
function chosen<T>(
  variable: string,
  all: readonly T[],
  isNamed = (value: T, part: string) => String(value) === part,
): readonly T[] {
  const parts = process.env[variable]?.split(',');
  const some = all.filter((value) => parts === undefined || parts.some((part) => isNamed(value, part)));
  if (some.length === 0) throw new Error(`${variable}=${parts} names nothing that can be looked at.`);
  return some;
}
