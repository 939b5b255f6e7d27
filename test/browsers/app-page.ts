import type { Browser, Page } from 'puppeteer-core';
import type { Opened } from '../support/opened.ts';
import { DEADLINE_MS } from '../support/until.ts';

/** A page of the web app in a browser, with cookies of its own, and what went wrong in it so far. */
export interface AppPage {
  readonly page: Page;
  /** What the console said of errors, what broke the policy, what was thrown. */
  readonly faults: readonly string[];
}

/** Tells the console, as violations of the policy are events of the document. */
const TELL_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`;

export async function openApp(browser: Browser, opened: Opened): Promise<AppPage> {
  const context = await browser.createBrowserContext();
  opened.onEnd(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.setDefaultTimeout(DEADLINE_MS);
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.evaluateOnNewDocument(TELL_VIOLATIONS);
  return { page, faults };
}
