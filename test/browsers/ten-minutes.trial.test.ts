import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import type { Alert } from '../../src/store/calls.ts';
import { Cli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { serverEnv } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { until } from '../support/until.ts';
import { openAppWithPushes } from './app-page.ts';
import { browserObstacle, launch, untilShown } from './browser.ts';
import { clickNotification, shownBy } from './worker.ts';

const test = suite('browsers: ten minutes');
const inChromium = skipWhere(browserObstacle('chromium'), test);

const REMINDER_MS = 120_000;

inChromium(
  'The ten minutes of docs/alerts.md end with an acknowledgement by the button of a notification',
  async () => {
    await using opened = new Resources();
    const sandbox = opened.add(await aSandbox());
    const { PUSHCTL_DATA_DIR: _, ...env } = await serverEnv(sandbox);
    const cli = new Cli();
    const run = async <T>(args: readonly string[], more = {}) => cli.json<T>(args, { env: { ...env, ...more } });
    await run(['workspace', 'create', 'acme']);
    await run(['channel', 'create', 'acme', 'alerts']);
    const server = cli.start(opened, ['serve'], env);
    const [, url = ''] = await server.waitFor(/(http:\/\/127\.0\.0\.1:\d+)/);
    const [insist = [], add = [], pair = [], issue = [], disk = [], list = [], , over = []] = commands();

    await run(insist);
    await run(add);
    const { pairing_code: code } = await run<{ pairing_code: string }>(pair);
    const browser = await launch('chromium', sandbox, opened);
    const { page, click, becomeDevice, subscribe } = await openAppWithPushes(
      { name: 'chromium', browser, sandbox },
      url,
      opened,
    );
    await page.goto(`${url}/#pair=${code}`);
    await click('Sign in');
    await becomeDevice();
    await click('Choose channels');
    await subscribe('alerts');

    const { key } = await run<{ key: string }>(issue);
    const sender = { PUSHCTL_API_KEY: key };
    await run([...disk, '--server', `${url}/api`], sender);
    const isShown = async () => (await shownBy(page)).some(({ actions }) => actions.includes('acknowledge'));
    await untilShown('it rings', isShown);
    const [first] = (await run<{ alerts: readonly Alert[] }>(list)).alerts;
    await until(
      'it has rung again',
      async () => (await run<{ alert: Alert }>(['alert', 'show', String(first?.id)])).alert.reminders > 0,
      REMINDER_MS,
    );
    await untilShown('it rings', isShown);
    assert.is(await clickNotification(page, 'acknowledge'), null);
    const [taken] = (await run<{ alerts: readonly Alert[] }>(list)).alerts;
    assert.equal([taken?.id, taken?.state, taken?.acknowledged_by], [first?.id, 'acknowledged', 'Bob']);
    const isNoticeShown = async () => (await shownBy(page)).some(({ body }) => body === 'Bob has it.\nalerts');
    await untilShown('the notice is there', isNoticeShown);
    await run([...over, '--server', `${url}/api`], sender);
    assert.equal((await run<{ alerts: readonly Alert[] }>(list)).alerts, []);
  },
);

test.run();

/** Returns the commands of the page, as arguments. */
function commands(): readonly (readonly string[])[] {
  const text = readFileSync(packagePath('docs', 'alerts.md'), 'utf8');
  const [, section = ''] = /^## A team of three, in ten minutes$(.*?)^## /ms.exec(text) ?? [];
  return [...section.matchAll(/^pushctl (.*?)(?: +#.*)?$/gm)].map(([, line = '']) =>
    [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''),
  );
}
