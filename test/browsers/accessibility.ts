import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';

const AXE = readFileSync(packagePath('node_modules', 'axe-core', 'axe.min.js'), 'utf8');
const SCHEMES = ['light', 'dark'] as const;
/** Width of the narrowest phone, in px. */
const NARROW = 320;

/** Checks that a page has no findings of axe-core, and is no wider than the narrowest phone. */
export async function assertForEverybody(page: Page, where: string): Promise<void> {
  assert.equal(await accessibilityFindings(page), [], where);
  assert.equal(await tooWideAt(page, NARROW), [], where);
}

/** Returns the findings of axe-core on a complete page, in light and dark colours. */
async function accessibilityFindings(page: Page): Promise<readonly string[]> {
  await page.waitForFunction(`document.querySelector('.skeleton') === null`);
  const found: string[] = [];
  for (const scheme of SCHEMES) {
    await page.evaluate(`document.documentElement.dataset.scheme = '${scheme}'`);
    // A colour on its way to another has a contrast that no one reads by.
    await page.evaluate('for (const animation of document.getAnimations()) animation.finish()');
    found.push(...(await axeFindings(page)).map((finding) => `${scheme}: ${finding}`));
  }
  return found;
}

/** In the colours that it has. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(AXE);
  return (await page.evaluate(`axe.run().then(({ violations }) => violations.map(({ id, nodes }) =>
    id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join(', ')))`)) as string[];
}

/** Returns the things that reach beyond a page of this width, in px: no page scrolls sideways. */
export async function tooWideAt(page: Page, width: number): Promise<readonly string[]> {
  const before = page.viewport();
  await page.setViewport({ width, height: 700 });
  // Drawings for a width are drawn again in the next frame.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  const beyond = (await page.evaluate(`document.documentElement.scrollWidth <= ${width} ? [] :
    [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > ${width})
      .map((element) => element.outerHTML.slice(0, 120))`)) as string[];
  await page.setViewport(before ?? { width: 800, height: 600 });
  return beyond;
}
