import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inForm } from '../../src/contract/api-key.ts';
import { fromDebian } from '../support/registries.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { valuesOf } from '../support/values-of.ts';
import { aReceiver, startProgram } from './receiver.ts';

const netdata = suite('netdata');
const { folder, obstacle } = fromDebian('netdata-plugins-bash');
const withNetdata = skipWhere(obstacle, netdata);

const ALARM_NOTIFY = join(folder, 'usr/lib/netdata/plugins.d/alarm-notify.sh');

/** Its own test, of a warning, a critical alarm and their end; without the daemon. */
function startTest(opened: Resources, configuration: string): ReturnType<typeof startProgram> {
  const here = mkdtempSync(join(folder, 'netdata-'));
  writeFileSync(join(here, 'health_alarm_notify.conf'), `SEND_EMAIL=NO\n${configuration}`);
  const env = { NETDATA_USER_CONFIG_DIR: here, NETDATA_STOCK_CONFIG_DIR: here, NETDATA_CACHE_DIR: here };
  return startProgram(opened, 'bash', [ALARM_NOTIFY, 'test'], env);
}

withNetdata("Netdata's alarms come as they do to Slack", async () => {
  await using opened = new Resources();
  const { key, nth, server, shown } = await aReceiver(opened, '127.0.0.83');
  startTest(opened, `SEND_SLACK=YES\nSLACK_WEBHOOK_URL=${server.url}/senders/slack/${key}\nDEFAULT_RECIPIENT_SLACK=#`);
  await nth(3);
  assert.equal(
    shown().map(({ level, delivery_urgency: urgency }) => [level, urgency]),
    ['warning', 'error', 'success'].map((level) => [level, 'standard']),
  );
  assert.match(shown()[1]?.title ?? '', / is critical, test\.chart /);
  assert.match(shown()[1]?.url ?? '', /^https?:/);
});

withNetdata("Netdata's alarms come as they do to Gotify, and critical alarms are urgent", async () => {
  await using opened = new Resources();
  const { key, nth, server, shown } = await aReceiver(opened, '127.0.0.83');
  const token = inForm('gtfya.', key);
  startTest(
    opened,
    `SEND_GOTIFY=YES\nGOTIFY_APP_URL=${server.url}/senders/gotify\nGOTIFY_APP_TOKEN=${token}\nDEFAULT_RECIPIENT_GOTIFY=gotify`,
  );
  await nth(3);
  assert.equal(valuesOf(shown(), 'level', 'delivery_urgency'), [
    'warning standard',
    'error time_sensitive',
    'success standard',
  ]);
});

withNetdata('Netdata loses an alarm that it cannot send, unless curl is set to try again', async () => {
  await using opened = new Resources();
  const { key, nth, server, shown, goAway, comeBack } = await aReceiver(opened, '127.0.0.83');
  const slack = `SEND_SLACK=YES\nSLACK_WEBHOOK_URL=${server.url}/senders/slack/${key}\nDEFAULT_RECIPIENT_SLACK=#\n`;
  await goAway();
  const once = startTest(opened, slack);
  await once.waitFor(/test_alarm is CLEAR/);
  const often = startTest(opened, `${slack}curl_options="--retry 5 --retry-connrefused --verbose"`);
  await often.waitFor(/Connection refused/);
  await comeBack();
  await nth(3);
  await often.waitFor(/sent slack notification for: \S+ \S+ is CLEAR/);
  assert.is(shown().length, 3);
});

netdata.run();
