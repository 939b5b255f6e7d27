import type { ProviderConfigs } from '../../config/config.ts';
import type { VapidKeys } from '../../push.ts';
import { readCa } from '../key-files.ts';
import type { Credentials, Installation } from '../provider.ts';

export interface WebPushSettings {
  /** The operator's contact: `mailto:` or https. */
  readonly contact: string;
  /** null: unknown in this process, which can ask push services only. */
  readonly vapid: VapidKeys | null;
  /** The web app's address without a final slash. */
  readonly appUrl: string;
  /** Push services that the operator has added. */
  readonly hosts: readonly string[];
  /** Replaced addresses by origin. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** PEM of a CA instead of the system's. */
  readonly ca?: string;
}

/** The key pair is our own; no vendor issues any. */
export const webPushCredentials: Credentials<ProviderConfigs['webpush'], WebPushSettings> = {
  whenComplete: 'every push service accepts the contact',

  files: ({ caFile }) => [{ setting: 'webpush.ca_file', file: caFile, isSecret: false }],

  read: ({ contact, hosts, endpoints, caFile }, read, { baseUrl, vapid }: Installation) => ({
    contact,
    vapid,
    appUrl: baseUrl.replace(/\/api$/, ''),
    hosts,
    endpoints,
    ...readCa(caFile, 'webpush.ca_file', read),
  }),
};

export function connectUrl({ endpoints }: Pick<WebPushSettings, 'endpoints'>, host: string): URL {
  const origin = `https://${host}`;
  return new URL(endpoints[origin] ?? origin);
}
