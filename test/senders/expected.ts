import type { Level, Urgency } from '../../src/push.ts';

/** What a device shows of a message, and where a tap leads. */
export interface Shown {
  readonly title: string;
  readonly body: string;
  readonly level: Level;
  readonly delivery_urgency: Urgency;
  readonly url?: string;
}

/** By the names of the recordings; null: it is no message. */
export const EXPECTED: Readonly<Record<string, Shown | null>> = {
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
  'ntfy/curl-empty': standard('info', 'triggered', 'triggered'),
  'ntfy/curl-trigger': standard('success', '✅ Backup', 'db-1 is done'),
  'ntfy/curl-user': standard('info', 'Backup of db-1 done', 'Backup of db-1 done'),
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
};

function urgent(level: Level, title: string, body: string, url?: string): Shown {
  return { title, body, level, delivery_urgency: 'time_sensitive', ...(url !== undefined && { url }) };
}

function standard(level: Level, title: string, body: string, url?: string): Shown {
  return { ...urgent(level, title, body, url), delivery_urgency: 'standard' };
}
