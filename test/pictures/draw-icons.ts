/**
 * Draws the web app's icons, src/web/public/*.png, from icon.svg in Chromium:
 * `npm run build && node dist/test/pictures/draw-icons.js`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { packagePath } from '../../src/package.ts';

const FOLDER = packagePath('src', 'web', 'public');

/** `inset`: free space at each side, as systems cut a maskable icon to a shape of their own. `isSquare`: they round it. */
const ICONS = [
  { name: 'icon-192', size: 192, inset: 0, isSquare: false },
  { name: 'icon-512', size: 512, inset: 0, isSquare: false },
  { name: 'icon-maskable-512', size: 512, inset: 0.1, isSquare: true },
  { name: 'apple-touch-icon', size: 180, inset: 0.04, isSquare: true },
] as const;

const svg = readFileSync(join(FOLDER, 'icon.svg'), 'utf8');
const [, background = ''] = /fill="(#\w+)"/.exec(svg) ?? [];
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const browser = await puppeteer.launch({ executablePath: '/usr/bin/chromium', args: asRoot });
const page = await browser.newPage();
for (const { name, size, inset, isSquare } of ICONS) {
  await page.setViewport({ width: size, height: size });
  const style = `margin: 0; padding: ${size * inset}px; box-sizing: border-box; line-height: 0;`;
  await page.setContent(`<body style="${style} background: ${isSquare ? background : 'none'}">${svg}</body>`);
  writeFileSync(join(FOLDER, `${name}.png`), await page.screenshot({ type: 'png', omitBackground: !isSquare }));
}
await browser.close();
