import type { AppPage } from './app-page.ts';

/** The key, or the link, that the open dialog shows this once. */
export function shownKey({ page }: AppPage): Promise<string> {
  return page.$eval('dialog[open] pre', (pre) => pre.textContent ?? '');
}

/** Posts as a program would. Answers the status. */
export async function postWith(url: string, key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ channel: 'alerts', title: 'It works' });
  return (await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body })).status;
}
