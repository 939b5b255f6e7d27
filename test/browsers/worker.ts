import { appendFileSync, cpSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Page, Target } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';

/** A notification of the app, as its worker shows it. */
export interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly silent: boolean;
  readonly actions: readonly string[];
}

/** Tasks of a worker, as text, since the compiler knows no workers here. Each answers a text. */
const TASKS = {
  shown: `async () => JSON.stringify((await registration.getNotifications()).map(
    ({ title, body, tag, silent, actions = [] }) =>
      ({ title, body, tag, silent, actions: actions.map(({ action }) => action) })))`,
  click: `async (action) => {
    const all = await registration.getNotifications();
    const ringing = all.filter(({ silent }) => !silent);
    const [notification, ...others] = ringing.length === 1 ? ringing : all;
    if (notification === undefined || others.length > 0) return JSON.stringify({ others: others.length });
    let opened = null;
    clients.matchAll = async () => [];
    clients.openWindow = async (address) => { opened = new URL(address).pathname; };
    const work = [];
    const click = new NotificationEvent('notificationclick', { action, notification });
    // Only of its own events a browser waits for what they begin.
    Object.defineProperty(click, 'waitUntil', { value: (begun) => work.push(begun) });
    dispatchEvent(click);
    await Promise.all(work);
    return JSON.stringify({ opened });
  }`,
} as const;
type Task = keyof typeof TASKS;

/** Does these tasks for the pages in Firefox, whose driver reaches no worker. */
const LISTENER = `
self.addEventListener('message', (event) => {
  const tasks = { ${Object.entries(TASKS)
    .map(([name, task]) => `${name}: ${task}`)
    .join(', ')} };
  const task = tasks[event.data?.task];
  if (task) event.waitUntil(task(event.data.argument).then((answer) => event.ports[0].postMessage(answer)));
});`;

/** The web app with a worker that Firefox lets a page talk to. Answers its folder. */
export function appWithListeningWorker(): string {
  const folder = temporaryFolder();
  const isWhole = (path: string) => !['.br', '.gz'].includes(extname(path));
  cpSync(packagePath('dist', 'web'), folder, { recursive: true, filter: isWhole });
  appendFileSync(join(folder, 'sw.js'), LISTENER);
  return folder;
}

/** All that the worker of this page shows. */
export async function shownBy(page: Page): Promise<readonly Shown[]> {
  return JSON.parse(await inWorker(page, 'shown')) as Shown[];
}

/**
 * Has the worker of this page hear that its only notification, or the only one with a sound, was clicked: on this button of it, or beside the buttons.
 * Browsers without a screen click none, and then allow nothing that takes a person's click: so what it would open is
 * answered instead; null: nothing.
 */
export async function clickNotification(page: Page, action: 'acknowledge' | ''): Promise<string | null> {
  const answer = JSON.parse(await inWorker(page, 'click', action)) as { opened: string | null; others?: number };
  assert.is(answer.others, undefined, 'there is one notification');
  return answer.opened;
}

async function inWorker(page: Page, task: Task, argument = ''): Promise<string> {
  await page.waitForFunction('navigator.serviceWorker.controller !== null');
  const target = await workerTarget(page);
  if (target === null) return byListener(page, task, argument);
  return String(await (await target.worker())?.evaluate(`(${TASKS[task]})('${argument}')`));
}

/** The service worker of a page; null: the driver of Firefox reaches none. */
export async function workerTarget(page: Page): Promise<Target | null> {
  if (!(await page.browser().version()).startsWith('Chrome')) return null;
  const { origin } = new URL(page.url());
  // Pages with other cookies have a worker of their own at the same address.
  return page
    .browserContext()
    .waitForTarget((target) => target.type() === 'service_worker' && target.url().startsWith(origin));
}

async function byListener(page: Page, task: Task, argument: string): Promise<string> {
  const answer = await page.evaluate(`new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    navigator.serviceWorker.controller.postMessage({ task: '${task}', argument: '${argument}' }, [port2]);
  })`);
  return String(answer);
}
