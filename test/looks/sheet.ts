import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';

export interface Picture {
  readonly name: string;
  readonly file: string;
  readonly width: number;
}

const SHEET_WIDTH = 1560;
const SHEET_HEIGHT = 1900;

/** Puts pictures of one width beside each other, so that many are seen at a glance. */
export async function drawSheets(page: Page, pictures: readonly Picture[], file: string): Promise<void> {
  const width = pictures[0]?.width ?? SHEET_WIDTH;
  const columns = Math.max(2, Math.floor(SHEET_WIDTH / width));
  const rows = width < 1000 ? 2 : 3;
  const perSheet = columns * rows;
  await page.setViewport({ width: SHEET_WIDTH, height: SHEET_HEIGHT });
  for (let from = 0; from < pictures.length; from += perSheet) {
    await page.setContent(sheet(pictures.slice(from, from + perSheet), columns, rows));
    writeFileSync(`${file}-${1 + from / perSheet}.png`, await page.screenshot());
  }
}

function sheet(pictures: readonly Picture[], columns: number, rows: number): string {
  const cells = pictures.map(({ name, file }) => {
    const data = readFileSync(file).toString('base64');
    return `<figure><figcaption>${name}</figcaption><img src="data:image/png;base64,${data}"></figure>`;
  });
  return `<style>
    body { margin: 0; display: grid; grid-template-columns: repeat(${columns}, 1fr); gap: 6px; background: #888;
      grid-template-rows: repeat(${rows}, ${Math.floor(SHEET_HEIGHT / rows) - 6}px); font: 13px sans-serif }
    figure { margin: 0; overflow: hidden } figcaption { background: #ff8 } img { width: 100% }
  </style>${cells.join('')}`;
}
