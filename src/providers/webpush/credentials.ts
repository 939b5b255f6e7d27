import type { ProviderConfigs } from '../../config/config.ts';
import type { VapidKeys } from '../../push.ts';
import { readCa } from '../key-files.ts';
import type { Credentials, Installation } from '../provider.ts';

export interface WebPushSettings {
  /** Whom a push service may write to: `mailto:` or https. */
  readonly contact: string;
  /** null: not known in this process, which can ask a push service but not send. */
  readonly vapid: VapidKeys | null;
  /** The address of the web app's pages, without a slash at the end. */
  readonly appUrl: string;
  /** Push services that the operator has added. */
  readonly hosts: readonly string[];
  /** The addresses to connect to instead, by origin. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** PEM of a CA to trust instead of the system's. */
  readonly ca?: string;
}

/** No vendor gives any: the key pair is the installation's own. */
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

/** Returns the address to connect to for a host: the configured one, else the host itself. */
export function connectUrl({ endpoints }: Pick<WebPushSettings, 'endpoints'>, host: string): URL {
  const origin = `https://${host}`;
  return new URL(endpoints[origin] ?? origin);
}
