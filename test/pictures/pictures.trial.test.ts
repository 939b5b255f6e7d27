/**
 * Draws the README's pictures and the app's icons into dist/pictures. With `KEEP_PICTURES=1` they replace those in
 * test/pictures and src/web/public.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { browserObstacle, launch } from '../browsers/browser.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { skipWhere } from '../support/skip.ts';
import { tmuxObstacle } from '../support/tmux.ts';
import { drawApp } from './draw-app.ts';
import { drawIcons, ICONS_FOLDER } from './draw-icons.ts';
import { drawDemo, drawTail } from './draw-screens.ts';

const test = suite('pictures');
const onScreen = skipWhere(tmuxObstacle(), test);
const inChromium = skipWhere(browserObstacle('chromium'), test);

const IN_USE = packagePath('test', 'pictures');
/** The folder outlives the run, whose temporary folder does not. */
const DRAWN = packagePath('dist', 'pictures');
const PNG_WIDTH_AT = 16;

onScreen('The demo and tail of the README are drawn without a key or a folder of this machine', async () => {
  await drawDemo(DRAWN);
  await drawTail(DRAWN);
  for (const name of namesIn(DRAWN, '.svg')) {
    const svg = readFileSync(join(DRAWN, name), 'utf8');
    assert.match(svg, /^<svg.*<\/svg>\s*$/s, name);
    assert.not.match(svg, /pctl_\w|#pair=\w|pushctl-test-/, name);
  }
  compareAndKeep('.svg', IN_USE);
});

inChromium('The pages of the web app in the README are drawn', async () => {
  await drawApp(DRAWN);
  for (const name of namesIn(DRAWN, '.webp'))
    assert.match(readFileSync(join(DRAWN, name), 'latin1'), /^RIFF.{4}WEBP/s, name);
  compareAndKeep('.webp', IN_USE);
});

inChromium('The icons of the web app are drawn in their sizes', async () => {
  await using opened = new Resources();
  const browser = await launch('chromium', opened.add(await aSandbox()), opened);
  await drawIcons(await browser.newPage(), DRAWN);
  const widthsIn = (folder: string) =>
    namesIn(folder, '.png').map((name) => [name, readFileSync(join(folder, name)).readUInt32BE(PNG_WIDTH_AT)]);
  assert.equal(widthsIn(DRAWN), widthsIn(ICONS_FOLDER));
  compareAndKeep('.png', ICONS_FOLDER);
});

rmSync(DRAWN, { recursive: true, force: true });
mkdirSync(DRAWN, { recursive: true });
process.stdout.write(`kept: pictures in ${DRAWN}\n`);
test.run();

/** Checks that all pictures in use were drawn, and no others, before it replaces them. */
function compareAndKeep(ending: string, inUse: string): void {
  const names = namesIn(DRAWN, ending);
  assert.equal(names, namesIn(inUse, ending));
  if (process.env.KEEP_PICTURES !== '1') return;
  for (const name of names) copyFileSync(join(DRAWN, name), join(inUse, name));
}

function namesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort();
}
