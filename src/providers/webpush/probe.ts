import { outcomeOfRequest } from '../agent.ts';
import { ask, timeIn } from '../https.ts';
import type { Failed } from '../outcomes.ts';
import type { Probe, Probed, Vendor } from '../provider.ts';
import { connectUrl, type WebPushSettings } from './credentials.ts';

const REGION_UNREACHED = {
  warning: 'the host of one region of Microsoft’s service cannot be reached',
  advice: 'allow https to *.notify.windows.com; if it is allowed already, only this region may be down',
};

interface Service {
  readonly vendor: Vendor;
  readonly host: string;
}

const MOZILLA: Service = {
  vendor: { name: 'Mozilla', domain: 'services.mozilla.com' },
  host: 'updates.push.services.mozilla.com',
};

/** A host of each; Microsoft's, one a region, is that of Paris. */
const SERVICES: Readonly<Record<string, Service>> = {
  webpush_google: { vendor: { name: 'Google', domain: 'googleapis.com' }, host: 'fcm.googleapis.com' },
  webpush_mozilla: MOZILLA,
  webpush_apple: { vendor: { name: 'Apple', domain: 'push.apple.com' }, host: 'web.push.apple.com' },
  webpush_microsoft: {
    vendor: { name: 'Microsoft', domain: 'notify.windows.com' },
    host: 'wns2-par02p.notify.windows.com',
  },
};

/**
 * Checks reachability and certificate. Only a browser's subscription could test pushes: other requests are not
 * harmless.
 */
export const webPushProbe: Probe<WebPushSettings> = {
  endpoint(route, settings) {
    const { host, vendor } = servicesOf(route, settings)[0] ?? MOZILLA;
    return { url: connectUrl(settings, host).href, setting: 'webpush.endpoints', vendor };
  },

  async ask(route, settings): Promise<Probed | null> {
    const services = servicesOf(route, settings);
    if (services.length === 0) return null;
    const faults = await Promise.all(services.map(({ host }) => faultAt(host, settings)));
    const fault = faults.find((found) => found !== null);
    if (!fault) return { works: 'can be reached' };
    return route === 'webpush_microsoft' ? REGION_UNREACHED : { refused: fault };
  },

  time(settings) {
    const { host, vendor } = MOZILLA;
    const url = connectUrl(settings, host).href;
    return { url, vendor, answer: ask(url, { method: 'GET', ca: settings.ca }).then(({ date }) => timeIn(date)) };
  },
};

/** The operator's own services stand for themselves. */
function servicesOf(route: string, { hosts }: WebPushSettings): readonly Service[] {
  const service = SERVICES[route];
  if (service !== undefined) return [service];
  return hosts.map((host) => ({ host, vendor: { name: host, domain: host.slice(host.indexOf('.') + 1) } }));
}

function faultAt(host: string, settings: WebPushSettings): Promise<Failed | null> {
  return ask(connectUrl(settings, host), { method: 'GET', ca: settings.ca }).then(() => null, outcomeOfRequest);
}
