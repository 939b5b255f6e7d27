import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunningCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Resources } from '../support/resources.ts';

const PROGRAM = 'prometheus-alertmanager';

/** The reason why Alertmanager cannot run here; null: it can. */
export function alertmanagerObstacle(): string | null {
  return spawnSync(PROGRAM, ['--version']).error === undefined
    ? null
    : `needs ${PROGRAM}, Debian's package of that name`;
}

export interface AlertmanagerOptions {
  /** Address of the webhook, or of PagerDuty's events. */
  readonly url: string;
  readonly isPagerduty?: true;
  /** The key to post with. */
  readonly key: string;
  /** `45s`. */
  readonly repeatInterval?: string;
}

/** Alertmanager as a process of its own with one receiver. Alerts are grouped by their names. */
export interface Alertmanager {
  /** `startsAt`: by default now. */
  fire(name: string, labels?: Readonly<Record<string, string>>, startsAt?: string): Promise<void>;
  /** Ends an alert that was fired by the same name and labels. */
  resolve(name: string, labels?: Readonly<Record<string, string>>): Promise<void>;
  /** The first match in its log, once it is there. */
  logged(pattern: RegExp): Promise<RegExpExecArray>;
}

export async function startAlertmanager(opened: Resources, options: AlertmanagerOptions): Promise<Alertmanager> {
  const folder = temporaryFolder();
  const file = join(folder, 'alertmanager.yml');
  writeFileSync(file, configurationOf(options));
  const running = new RunningCli(
    spawn(PROGRAM, [
      `--config.file=${file}`,
      `--storage.path=${join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
      '--web.external-url=http://alertmanager.example.com',
      '--web.route-prefix=/',
      '--log.level=debug',
      '--cluster.listen-address=', // No cluster: it would listen on every address.
    ]),
  );
  opened.onEnd(() => running.stop('SIGKILL'));
  const [, address] = await running.waitFor(/msg="Listening on".* address=(\S+)/);
  return {
    fire: (name, labels, startsAt) =>
      post(`http://${address}`, {
        labels: { alertname: name, ...labels },
        ...(startsAt !== undefined && { startsAt }),
      }),
    resolve: (name, labels) =>
      post(`http://${address}`, { labels: { alertname: name, ...labels }, endsAt: new Date().toISOString() }),
    logged: (pattern) => running.waitFor(pattern),
  };
}

/** JSON is YAML. */
function configurationOf({ url, key, repeatInterval = '1h', isPagerduty }: AlertmanagerOptions): string {
  return JSON.stringify({
    route: {
      receiver: 'pushctl',
      group_by: ['alertname'],
      group_wait: '0s',
      group_interval: '1s',
      repeat_interval: repeatInterval,
    },
    receivers: [
      isPagerduty
        ? { name: 'pushctl', pagerduty_configs: [{ url, routing_key: key }] }
        : { name: 'pushctl', webhook_configs: [{ url, http_config: { authorization: { credentials: key } } }] },
    ],
  });
}

async function post(url: string, alert: Readonly<Record<string, unknown>>): Promise<void> {
  const annotations = { summary: 'Disk of db-1 is full', description: 'db-1 has 2 GB left' };
  const answer = await fetch(`${url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ annotations, ...alert }]),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
}
