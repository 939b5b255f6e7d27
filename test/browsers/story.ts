import type { Browser } from 'puppeteer-core';
import { suite } from 'uvu';
import type { RunningServer } from '../../src/server/server.ts';
import { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, type Env, serveHere, serverEnv, type Team } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { type BrowserName, browserObstacle, launch } from './browser.ts';
import { appWithListeningWorker } from './worker.ts';

/** A file with more of them holds up a whole run. */
const MOST_STORIES = 5;

/** The parts that all stories of a file share. */
interface Shared {
  readonly name: BrowserName;
  readonly browser: Browser;
  readonly sandbox: Sandbox;
  readonly server: RunningServer;
  readonly env: Env;
}

/** A workspace that no other story has, nor its people. */
export interface StoryTeam extends Team {
  /** Addresses of people who are no members yet. */
  readonly bob: string;
  readonly carl: string;
}

export interface BrowserInTest extends Shared {
  readonly team: StoryTeam;
}
type Body = (parts: BrowserInTest, opened: Resources) => Promise<void>;
export interface BrowserTest {
  (name: string, body: Body): void;
  /** Is run in Firefox as well before each change, as one of ten. */
  smoke(name: string, body: Body): void;
}
export type Story = (test: BrowserTest) => void;

/** These stories in a browser. The browser and a server are started once for all of them. */
export function browserSuite(name: BrowserName, ...stories: readonly Story[]): { run(): void } {
  return suiteOf(name, stories, false);
}

/** Those of these stories that are smoke stories. */
export function smokeSuite(name: BrowserName, ...stories: readonly Story[]): { run(): void } {
  return suiteOf(name, stories, true);
}

function suiteOf(name: BrowserName, stories: readonly Story[], isSmoke: boolean): { run(): void } {
  const all = suite(`browsers: ${name}`);
  const where = skipWhere(browserObstacle(name), all);
  const whole = new Resources();
  let started: Promise<Shared> | null = null;
  let count = 0;
  const add = (sentence: string, body: Body): void => {
    count += 1;
    const slug = `acme-${count}`;
    where(sentence, async () => {
      await using opened = new Resources();
      started ??= start(name, whole);
      const shared = await started;
      await body({ ...shared, team: await storyTeam(shared, slug, opened) }, opened);
    });
  };
  all.after(() => whole[Symbol.asyncDispose]());
  const test: BrowserTest = Object.assign(isSmoke ? () => {} : add, { smoke: add });
  for (const story of stories) story(test);
  if (count === 0 || count > MOST_STORIES) throw new Error(`A file has 1 to ${MOST_STORIES} stories, not ${count}.`);
  return { run: all.run };
}

async function start(name: BrowserName, opened: Resources): Promise<Shared> {
  const sandbox = opened.add(await aSandbox());
  const env = await serverEnv(sandbox);
  const server = await serveHere(opened, env, name === 'firefox' ? { webFolder: appWithListeningWorker() } : {});
  return { name, sandbox, env, server, browser: await launch(name, sandbox, opened) };
}

async function storyTeam({ env, server }: Shared, slug: string, opened: Resources): Promise<StoryTeam> {
  const addressOf = (person: string) => `${person}@${slug}.example.com`;
  const team = opened.add(await aTeam(env, server.url, { slug, owner: addressOf('ada') }));
  return { ...team, bob: addressOf('bob'), carl: addressOf('carl') };
}
