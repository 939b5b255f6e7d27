import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { axeFindings } from '../browsers/accessibility.ts';
import type { AppPage } from '../browsers/app-page.ts';
import { findingsIn, shiftIn } from './findings.ts';
import { addressOf, type Look } from './pages.ts';
import type { Fill, Scene } from './scene.ts';
import type { Picture } from './sheet.ts';
import { isPhone, screenOf } from './widths.ts';

interface Asked {
  readonly folder: string;
  readonly widths: readonly number[];
  readonly themes: readonly string[];
}
interface How {
  readonly fill: Fill;
  readonly language: string;
}
type Find = (where: string, lines: readonly string[]) => void;

/** Height of pictures of long pages, in px. */
const TALLEST = 1_400;
/** Once nothing is loading, and what is drawn for a width is drawn. */
const THERE = `document.querySelector('main h1') && !document.querySelector('.skeleton')`;
const DRAWN = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';
const FINISHED = 'for (const animation of document.getAnimations()) animation.finish()';

/** Takes pictures of pages, and finds what is wrong with them. */
export class Looking {
  /** Pictures by their common part. */
  readonly pictures = new Map<string, Picture[]>();
  readonly #scene: Scene;
  readonly #asked: Asked;

  constructor(scene: Scene, asked: Asked) {
    this.#scene = scene;
    this.#asked = asked;
  }

  /** Returns a line for each finding. */
  async at(app: AppPage, look: Look, how: How): Promise<readonly string[]> {
    const findings = new Map<string, string[]>();
    const find: Find = (where, lines) => {
      for (const line of lines) findings.set(line, [...(findings.get(line) ?? []), where]);
    };
    const faultsBefore = app.faults.length;
    const { widths } = this.#asked;
    // One load for phones, one for what has a rail; between widths of a kind the window is resized.
    for (const kind of [widths.filter(isPhone), widths.filter((width) => !isPhone(width))]) {
      if (kind.length === 0) continue;
      const failed = (error: unknown) => find(String(kind[0]), [`not reached: ${String(error).split('\n')[0]}`]);
      await this.#atWidths(app, look, how, kind, find).catch(failed);
    }
    find('console', app.faults.slice(faultsBefore));
    const page = `${look.name}, ${how.fill}, ${how.language}`;
    return [...findings].map(([line, where]) => `${page}: ${line} (${where.join(', ')})`);
  }

  async #atWidths(app: AppPage, look: Look, how: How, widths: readonly number[], find: Find): Promise<void> {
    const { page } = app;
    const [first = 0] = widths;
    const place = this.#scene.places[how.fill];
    await page.setViewport(screenOf(first));
    // Else an address that differs in its fragment alone loads nothing.
    await page.goto('about:blank');
    await page.goto(`${this.#scene.url}${await addressOf(look, this.#scene, place)}`);
    await page.waitForFunction(THERE);
    await page.waitForNetworkIdle({ idleTime: 100, concurrency: 2, timeout: 3_000 }).catch(() => {});
    find(String(first), await shiftIn(page));
    const undo = await look.reach?.(app);
    await page.waitForFunction(THERE);
    try {
      for (const width of widths) {
        for (const theme of this.#asked.themes) {
          const where = `${width} ${theme}`;
          await this.#draw(page, width, theme);
          find(where, await findingsIn(page));
          // The same elements have the same faults: one width of a kind is enough.
          if (width === first) find(where, await axeFindings(page));
          this.#take(look, how, width, theme, await photograph(page));
        }
      }
    } finally {
      await undo?.();
    }
  }

  /** The window is as tall as the page, so that all of it is seen, unless a dialog lies above. */
  async #draw(page: Page, width: number, theme: string): Promise<void> {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    await page.setViewport(screenOf(width));
    await page.evaluate(DRAWN);
    const tall = Number(
      await page.evaluate(`document.querySelector('dialog[open]') ? 0 : document.documentElement.scrollHeight`),
    );
    const { height } = screenOf(width);
    if (tall > height) await page.setViewport({ width, height: Math.min(tall, TALLEST) });
    await page.evaluate(DRAWN);
    await page.evaluate(FINISHED);
  }

  #take({ name }: Look, { fill, language }: How, width: number, theme: string, png: Uint8Array): void {
    const common = `${width}-${theme}-${language}-${fill}`;
    const file = join(this.#asked.folder, `${name}-${common}.png`);
    writeFileSync(file, png);
    const others = this.pictures.get(common) ?? [];
    this.pictures.set(common, [...others, { name: `${name} ${common}`, file, width }]);
  }
}

function photograph(page: Page): Promise<Uint8Array> {
  return page.screenshot({ captureBeyondViewport: false });
}
