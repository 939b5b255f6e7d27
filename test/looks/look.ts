/**
 * Looks at every page of the app, full and empty, at each width, in each language, in light and dark: takes a picture of
 * each, draws sheets of many, and prints what is wrong, a line a page. After a build:
 * `node dist/test/looks/look.js <folder> [--page <part of a name>] [--width 390,1200] [--theme dark] [--language de] [--fill full]`
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LANGUAGES } from '../../src/web/chosen-language.ts';
import type { AppPage } from '../browsers/app-page.ts';
import { openApp, signIn } from '../browsers/app-page.ts';
import { launch } from '../browsers/browser.ts';
import { Opened } from '../support/opened.ts';
import { WATCH_SHIFTS } from './findings.ts';
import { Looking } from './looking.ts';
import { fillsOf, LOOKS } from './pages.ts';
import { aScene, FILLS, type Fill } from './scene.ts';
import { drawSheets } from './sheet.ts';
import { WIDTHS } from './widths.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    page: { type: 'string', default: '' },
    width: { type: 'string', default: WIDTHS.join() },
    theme: { type: 'string', default: 'light,dark' },
    language: { type: 'string', default: Object.keys(LANGUAGES).join() },
    fill: { type: 'string', default: FILLS.join() },
  },
});
const [folder = 'looks'] = positionals;
mkdirSync(folder, { recursive: true });
const looks = LOOKS.filter(({ name }) => values.page.split(',').some((part) => name.includes(part)));

await using opened = new Opened();
const scene = await aScene(opened);
const browser = await launch('chromium', scene.sandbox, opened);
const looking = new Looking(scene, {
  folder,
  widths: values.width.split(',').map(Number),
  themes: values.theme.split(','),
});
for (const fill of values.fill.split(',') as Fill[]) {
  for (const language of values.language.split(',')) {
    const signedIn = await openIn(language, scene.places[fill].email);
    for (const look of looks.filter((one) => fillsOf(one).includes(fill))) {
      const app = look.isSignedOut ? await openIn(language) : signedIn;
      process.stdout.write(`${await looking.at(app, look, { fill, language })}\n`);
    }
  }
}
const drawing = await browser.newPage();
for (const [name, pictures] of looking.pictures) await drawSheets(drawing, pictures, join(folder, `sheet-${name}`));
process.stdout.write(`${looks.length} pages, ${looking.found} findings. Pictures and sheets are in ${folder}.\n`);

/** With cookies of its own. `email`: who is signed in. */
async function openIn(language: string, email?: string): Promise<AppPage> {
  const app = await openApp(browser, opened);
  await app.page.evaluateOnNewDocument(WATCH_SHIFTS);
  if (email) await signIn(app, scene.url, scene.team, email);
  await app.page.browserContext().setCookie({ name: 'language', value: language, domain: '127.0.0.1', path: '/' });
  return app;
}
