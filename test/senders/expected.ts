import type { Level, Urgency } from '../../src/push.ts';

/** The texts that a device shows of a message, and the target of a tap. */
export interface Shown {
  readonly title: string;
  readonly body: string;
  readonly level: Level;
  readonly delivery_urgency: Urgency;
  readonly url?: string;
  /** The time that the program gives. */
  readonly occurred_at?: string;
}

/** One text alone is shown below it. */
const CHANNEL = 'alerts';
const DISK_FULL = 'Disk of db-1 is full\ndb-1 has 2 GB left';
const DISKS_FULL = 'Disk of db-1 is full (db-1:9100, critical)\nDisk of db-2 is filling (db-2:9100, warning)';
const ALERTMANAGER = 'http://alertmanager.example.com';
const ZONES =
  'This alert was triggered for zone us-1 (High memory usage, us-1)\nThis alert was triggered for zone eu-1 (High CPU usage, eu-1)';
const GRAFANA = 'https://play.grafana.org/';

const LABELS =
  'Labels:\n - alertname = DiskFull\n - instance = db-1:9100\n - severity = critical\nAnnotations:\n - description = db-1 has 2 GB left\n - summary = Disk of db-1 is full\nSource: http://prometheus.example.com/graph?g0.expr=disk';

/** Expectations by the names of the recordings; null: it is no message. */
export const EXPECTED: Readonly<Record<string, Shown | null>> = {
  'alertmanager/firing': at(
    '2026-11-21T09:30:00.000+00:00',
    urgent('error', '[FIRING:1] DiskFull', DISK_FULL, ALERTMANAGER),
  ),
  'alertmanager/firing-0.34': at(
    '2026-11-21T09:30:00.000+00:00',
    urgent('error', '[FIRING:1] DiskFull', DISK_FULL, ALERTMANAGER),
  ),
  'alertmanager/repeat-0.34': at(
    '2026-11-21T09:30:00.000+00:00',
    urgent('error', '[FIRING:1] DiskFull', DISK_FULL, ALERTMANAGER),
  ),
  'alertmanager/resolved': at(
    '2026-11-22T11:22:32.000+00:00',
    standard('success', '[RESOLVED] DiskFull', DISKS_FULL, ALERTMANAGER),
  ),
  'alertmanager/resolved-0.34': at(
    '2026-11-22T11:23:12.000+00:00',
    standard('success', '[RESOLVED] DiskFull', DISK_FULL, ALERTMANAGER),
  ),
  'alertmanager/second': at(
    '2026-11-21T09:31:00.000+00:00',
    urgent('error', '[FIRING:2] DiskFull', DISKS_FULL, ALERTMANAGER),
  ),
  'gotify/apprise': urgent('error', 'Backup failed', 'db-1: no space left on device'),
  'gotify/curl-form': urgent('error', 'Disk full', 'db-1 has 2 GB left'),
  'gotify/curl-multipart': standard('warning', 'my title', 'my message'),
  'gotify/gotify-cli': urgent('error', 'Disk full', 'db-1 has 2 GB left'),
  'gotify/healthchecks': standard(
    'success',
    'Nightly backup is UP',
    '🟢 The check Nightly backup is now UP.\n\nThe downtime lasted 1 hour, 30 minutes.\n\nAll the other checks are up.',
    'https://hc.example.com/cloaked/1b2c3d4e/',
  ),
  'gotify/npm-gotify': standard('warning', 'Backup', 'Backup of db-1 took 7 minutes'),
  'gotify/proxmox': urgent(
    'error',
    'vzdump backup status (pve.example.com): backup failed',
    'Details\n=======\nVMID    Name    Status    Time    Size     Filename\n100     db-1    err       12s     0 B\n\nTotal running time: 12s',
  ),
  'gotify/uptime-kuma': urgent('error', 'Uptime-Kuma', '[Shop] [🔴 Down] connect ECONNREFUSED 192.0.2.7:443'),
  'grafana/firing': at('2021-10-12T07:56:03.157+00:00', standard('error', '[FIRING:2]  (blue)', ZONES, GRAFANA)),
  'grafana/resolved': at('2021-10-12T08:06:03.157+00:00', standard('success', '[RESOLVED]  (blue)', ZONES, GRAFANA)),
  'json/apprise': standard('error', 'Backup failed', 'db-1: no space left on device'),
  'json/github': standard(
    'error',
    'CI of acme/shop: failure',
    'Charge each order once',
    'https://github.com/acme/shop/actions/runs/42',
  ),
  'ntfy/apprise': urgent(
    'warning',
    '⚠️ Backup failed',
    'db-1: no space left on device',
    'https://status.example.com/db-1',
  ),
  'ntfy/apprise-debian': urgent(
    'warning',
    '⚠️ Backup failed',
    'db-1: no space left on device',
    'https://status.example.com/db-1',
  ),
  'ntfy/curl': urgent('warning', '⚠️ 💀 Übung läuft', 'Köln ist nicht erreichbar'),
  'ntfy/curl-empty': standard('info', CHANNEL, 'triggered'),
  'ntfy/curl-trigger': standard('success', '✅ Backup', 'db-1 is done'),
  'ntfy/curl-user': standard('info', CHANNEL, 'Backup of db-1 done'),
  'ntfy/gatus': urgent(
    'error',
    '🚨 Gatus: core/shop',
    'An alert has been triggered due to having failed 3 time(s) in a row with the following description: healthcheck failed\n🔴 [STATUS] == 200',
  ),
  'ntfy/healthchecks': urgent(
    'error',
    '🔴 Nightly backup is DOWN (success signal did not arrive on time, grace time passed)',
    'Reason: success signal did not arrive on time, grace time passed.\n\n**Project:** Shop\n**Tags:** prod, db\n**Period:** 1 day\n**Total Pings:** 112\n**Last Ping:** Success, 1 day ago\n\nAll the other checks are up.',
    'https://hc.example.com/cloaked/1b2c3d4e/',
  ),
  'ntfy/home-assistant': urgent('error', '🚪 Front door', 'It is open', 'https://home.example.com/lovelace'),
  'ntfy/home-assistant-account': null,
  'ntfy/npm-ntfy': standard('info', 'Übung läuft', 'Grüße aus Köln'),
  'ntfy/ntfy-cli': urgent('warning', '⚠️ Disk full', 'db-1 has 2 GB left', 'https://status.example.com/'),
  'ntfy/radarr': standard(
    'info',
    '🎥 Radarr - Movie Grabbed',
    'Night of the Living Dead (1968) [HDTV-720p]',
    'https://radarr.example.com/',
  ),
  'ntfy/shoutrrr': urgent('warning', '⚠️ Disk full', 'db-1 has 2 GB left', 'https://status.example.com/'),
  'ntfy/shoutrrr-0.8': urgent('warning', '⚠️ Disk full', 'db-1 has 2 GB left', 'https://status.example.com/'),
  'ntfy/uptime-kuma-down': urgent(
    'error',
    '🔴 Shop Down [Uptime-Kuma]',
    'connect ECONNREFUSED 192.0.2.7:443\n\nTags: production',
    'https://shop.example.com',
  ),
  'ntfy/uptime-kuma-test': urgent('warning', '🧪 alerts [Uptime-Kuma]', 'Ntfy Testing'),
  'ntfy/uptime-kuma-up': urgent(
    'success',
    '🟢 Shop Up [Uptime-Kuma]',
    '200 - OK\n\nTags: production',
    'https://shop.example.com',
  ),
  'pagerduty/alertmanager-firing': standard(
    'error',
    '[FIRING:1] DiskFull (db-1:9100 critical)',
    `Alertmanager\nfiring: ${LABELS}\nnum_firing: 1\nnum_resolved: 0`,
    'http://alertmanager.example.com/#/alerts?receiver=p',
  ),
  'pagerduty/alertmanager-resolved': standard(
    'success',
    '[RESOLVED] DiskFull (db-1:9100 critical)',
    `Alertmanager\nnum_firing: 0\nnum_resolved: 1\nresolved: ${LABELS}`,
    'http://alertmanager.example.com/#/alerts?receiver=p',
  ),
  'slack/alertmanager-firing': standard(
    'error',
    CHANNEL,
    '[FIRING:1] DiskFull eu (db-1:9100 critical)',
    'http://alertmanager.example.com/#/alerts?receiver=slack',
  ),
  'slack/alertmanager-resolved': standard(
    'success',
    CHANNEL,
    '[RESOLVED] DiskFull eu',
    'http://alertmanager.example.com/#/alerts?receiver=slack',
  ),
  'slack/apprise-mattermost': standard('info', 'Backup failed', 'db-1: no space left on device'),
  'slack/curl-form': standard('info', CHANNEL, 'This is posted to #general and comes from a bot named webhookbot.'),
  'slack/curl-untyped': standard('info', CHANNEL, 'Hello, World!'),
  'slack/gitlab': at(
    '2025-11-21T09:30:00.000+00:00',
    standard(
      'error',
      'Pipeline #123 has failed in 07:12',
      'Branch: main\nCommit: Charge each order once\nFailed job: test',
      'https://git.example.com/shop/-/pipelines/123/failures',
    ),
  ),
  'slack/healthchecks': standard(
    'error',
    '“Nightly backup” is DOWN.',
    'Reason: success signal did not arrive on time, grace time passed.\nProject: Shop\nTags: prod db\nPeriod: 1 day\nTotal Pings: 112\nLast Ping: Success, 1 day ago',
    'https://hc.example.com/cloaked/1b2c3d4e/',
  ),
  'slack/jenkins': standard(
    'error',
    CHANNEL,
    'shop » main - #42 Failure after 7 min 12 sec (Open)',
    'https://ci.example.com/job/shop/42/',
  ),
  'slack/node-slack': standard(
    'error',
    'Howdy!',
    'Disk full\n2 GB left\nHost: db-1',
    'https://status.example.com/db-1',
  ),
  'slack/shoutrrr-mattermost': standard('info', CHANNEL, 'db-1 has 2 GB left'),
  'slack/slack-notify': standard('info', 'Current server stats', 'CPU usage: 97.51%\nMemory usage: 254mb'),
  'slack/slack-webhook': standard(
    'info',
    'Deploy of shop finished',
    'Deploy finished\nshop 2.4.1 is live on production',
    'https://shop.example.com',
  ),
  'slack/slack-webhook-text': standard('info', CHANNEL, 'I have news: build 1 & more', 'https://ci.example.com/1'),
  'slack/uptime-kuma-down': standard(
    'error',
    'Uptime Kuma Alert',
    '[Shop] [🔴 Down] connect ECONNREFUSED 192.0.2.7:443\nMessage\n[Shop] [🔴 Down] connect ECONNREFUSED 192.0.2.7:443\nTime (UTC)\n2026-11-21 09:30:00',
    'https://kuma.example.com/dashboard/3',
  ),
  'slack/uptime-kuma-up': standard(
    'success',
    'Uptime Kuma Alert',
    '[Shop] [✅ Up] 200 - OK\nMessage\n[Shop] [✅ Up] 200 - OK\nTime (UTC)\n2026-11-21 09:30:00',
    'https://kuma.example.com/dashboard/3',
  ),
  'slack/winston': standard('info', CHANNEL, 'error: payment provider answers 503'),
};

function at(occurred_at: string, shown: Shown): Shown {
  return { ...shown, occurred_at };
}

function urgent(level: Level, title: string, body: string, url?: string): Shown {
  return { title, body, level, delivery_urgency: 'time_sensitive', ...(url !== undefined && { url }) };
}

function standard(level: Level, title: string, body: string, url?: string): Shown {
  return { ...urgent(level, title, body, url), delivery_urgency: 'standard' };
}
