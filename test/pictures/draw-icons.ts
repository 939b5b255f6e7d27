/** Draws the web app's icons from icon.svg in Chromium. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { packagePath } from '../../src/process/package.ts';

/** Holds icon.svg, and the icons that the app has. */
export const ICONS_FOLDER = packagePath('src', 'web', 'public');

/** `inset`: free space at each side, as systems cut a maskable icon to a shape of their own. `isSquare`: they round it. */
const ICONS = [
  { name: 'icon-192', size: 192, inset: 0, isSquare: false },
  { name: 'icon-512', size: 512, inset: 0, isSquare: false },
  { name: 'icon-maskable-512', size: 512, inset: 0.1, isSquare: true },
  { name: 'apple-touch-icon', size: 180, inset: 0.04, isSquare: true },
] as const;

/**
 * Icons of a notification, by the level of its event: the shapes and colours of the app, on white as systems show them.
 */
const LEVELS = {
  info: ['#2f6fb3', 'M10 4a6 6 0 1 1 0 12 6 6 0 0 1 0-12z'],
  success: ['#1d7a4b', 'M4 10.5 8.2 15 16 6'],
  warning: ['#a8690c', 'M10 3.2 17.6 16.6H2.4z'],
  error: ['#c0352b', 'M6.7 2.5h6.6l4.2 4.2v6.6l-4.2 4.2H6.7l-4.2-4.2V6.7z'],
} as const;

export async function drawIcons(page: Page, into: string): Promise<void> {
  const svg = readFileSync(join(ICONS_FOLDER, 'icon.svg'), 'utf8');
  const [, background = ''] = /fill="(#\w+)"/.exec(svg) ?? [];
  for (const { name, size, inset, isSquare } of ICONS) {
    await page.setViewport({ width: size, height: size });
    const style = `margin: 0; padding: ${size * inset}px; box-sizing: border-box; line-height: 0;`;
    await page.setContent(`<body style="${style} background: ${isSquare ? background : 'none'}">${svg}</body>`);
    writeFileSync(join(into, `${name}.png`), await page.screenshot({ type: 'png', omitBackground: !isSquare }));
  }
  for (const [level, [colour, shape]] of Object.entries(LEVELS)) {
    const ink = level === 'success' ? `fill="none" stroke="#fff" stroke-width="2.4"` : 'fill="#fff"';
    const drawn = `<rect width="20" height="20" rx="4.7" fill="${colour}"/>
      <path d="${shape}" ${ink} transform="translate(4.2 4.2) scale(.58)"/>`;
    await draw(page, into, `level-${level}`, 192, drawn, '0 0 20 20');
  }
  // Android shows only the outline of this icon.
  const [, outline = ''] = /<rect[^>]*>(.*)<\/svg>/s.exec(svg) ?? [];
  await draw(page, into, 'badge', 96, outline.replaceAll(/#\w+/g, '#fff'), '10 6 50 50');
}

async function draw(
  page: Page,
  into: string,
  name: string,
  size: number,
  shapes: string,
  viewBox: string,
): Promise<void> {
  await page.setViewport({ width: size, height: size });
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="${viewBox}">${shapes}</svg>`;
  await page.setContent(`<body style="margin: 0; background: none; line-height: 0">${picture}</body>`);
  writeFileSync(join(into, `${name}.png`), await page.screenshot({ type: 'png', omitBackground: true }));
}
