import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'puppeteer-core';
import { insertEvents } from '../bench/volume.ts';
import type { Env } from '../support/server.ts';

const SPAN_MS = 3 * 86_400_000;
const SHOW_ALL = `(async () => {
  const rows = () => document.querySelectorAll('.event').length;
  for (let button; (button = document.querySelector('.end button')); ) {
    const before = rows();
    button.click();
    while (rows() === before) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return rows();
})()`;

/** So many events of the last three days in the first channel of a server that runs, none of which repeats another. */
export function fillInbox(env: Env, events: number): void {
  const db = new Database(join(String(env.PUSHCTL_DATA_DIR), 'pushctl.db'));
  const firstOf = (table: string) => db.prepare<[], number>(`SELECT min(id) FROM ${table}`).pluck().get() ?? 0;
  insertEvents(db, {
    events: BigInt(events),
    spanMs: BigInt(SPAN_MS),
    nowMs: BigInt(Date.now()),
    workspaceId: firstOf('workspace'),
    channelId: firstOf('channel'),
  });
  db.close();
}

/** Asks for earlier events until the inbox shows them all; answers how many rows there are. */
export async function showAll(page: Page): Promise<number> {
  await page.waitForFunction(`document.querySelector('.event') !== null`);
  return Number(await page.evaluate(SHOW_ALL));
}
