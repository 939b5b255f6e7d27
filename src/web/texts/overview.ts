import { plural, whole } from '../format/numbers.ts';

const events = (count: number) => `${whole(count)} ${plural(count, 'event', 'events')}`;
const pushes = (count: number) => `${whole(count)} ${plural(count, 'push', 'pushes')}`;

export const texts = {
  title: 'Overview',
  rename: {
    open: 'Rename workspace',
    title: (name: string) => `Rename ${name}`,
    name: 'Name',
    hint: (slug: string) => `The name that people see. Programs keep using the slug ${slug}.`,
  },
  period: 'Time',
  periods: { '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days', '365d': 'Last 12 months' },
  /** Used within a sentence. */
  within: {
    '24h': 'in the last 24 hours',
    '7d': 'in the last 7 days',
    '30d': 'in the last 30 days',
    '365d': 'in the last 12 months',
  },
  stopped: {
    events: 'The server accepts no events at the moment.',
    deliveries: 'Pushes are due, but none has been sent for a minute.',
  },
  state: {
    stoppedAdvice: 'To see why, run pushctl status on the server.',
    suspended: (workspace: string) => `${workspace} is suspended: it accepts no events, and queued pushes wait.`,
    suspendedAdvice: 'To activate it, run pushctl workspace activate on the server.',
    paused: (route: string, since: string) => `${route} has been paused since ${since}.`,
    pausedMany: (count: number) => `${whole(count)} routes are paused.`,
    wait: (count: number) => `${pushes(count)} ${plural(count, 'waits', 'wait')}.`,
    pausedAdvice: 'Waiting pushes are sent automatically once the route is open again.',
    exhausted: (resets: string) => `The allowance for this month is used up: events are refused until ${resets}.`,
    exhaustedAdvice: 'To raise it, run pushctl workspace set-plan on the server.',
    runsOut: (when: string) => `At this rate the allowance for this month will be used up on ${when}.`,
    runsOutAdvice: 'Send less, or ask the people who run the server to raise it.',
    failed: (count: number) => `${pushes(count)} failed.`,
    expired: (count: number) => `${pushes(count)} expired unsent.`,
    gone: (count: number) =>
      `${whole(count)} ${plural(count, 'device is', 'devices are')} no longer registered and did not get ${plural(count, 'its push', 'their pushes')}.`,
    goneAdvice: 'Such a device gets nothing until somebody opens its app or browser, which registers it again.',
    asleep: (count: number) =>
      `${whole(count)} ${plural(count, 'person in a rota', 'people in rotas')} cannot be woken by the alerts of a channel.`,
    asleepAdvice: 'Ask each to subscribe a device to the channel, and to unmute it.',
    silent: (count: number) =>
      `${whole(count)} ${plural(count, 'device accepts pushes but no longer shows', 'devices accept pushes but no longer show')} them.`,
    silentAdvice:
      'Ask the person to open the app on the device and send a test. If nothing appears, add the device again.',
    failedAdvice: 'See below what each reason means and what to do.',
    nothing: (within: string) => `Nothing was sent ${within}.`,
    nothingAdvice: 'To try it, send an event by hand, or issue an API key and use its command.',
    noDevice: (count: number) => `${events(count)} came in, but no device was subscribed.`,
    noDeviceAdvice: 'Invite members, and ask them to subscribe their devices.',
    good: (eventCount: number, accepted: number, within: string) =>
      `Everything works: ${events(eventCount)}, ${pushes(accepted)} accepted ${within}.`,
    goodAdvice: 'There is nothing to do.',
  },
  /** Links from a state to its details. */
  see: {
    failures: 'Show the reasons',
    notShowing: 'Show the devices',
    unreachable: 'Show the people',
    inactive: 'Show inactive devices',
  },
  figures: {
    events: 'events',
    accepted: 'pushes accepted',
    waiting: 'waiting now',
    failed: 'failed',
    latency: '99 % accepted within',
    ofAllowance: (allowance: number, forecast: number) =>
      `of ${whole(allowance)} events this month; about ${whole(forecast)} by its end`,
    unlimited: (forecast: number) => `events this month; about ${whole(forecast)} by its end`,
  },
  plots: {
    hour: { events: 'Events by hour', pushes: 'Pushes by hour' },
    day: { events: 'Events by day', pushes: 'Pushes by day' },
    label: (title: string) => `${title}. The table below has the same figures.`,
    table: 'The same figures as a table',
    point: (when: string, values: string) => `${when}: ${values}`,
    events,
    pushes: (accepted: number, others: number) => `${whole(accepted)} accepted, ${whole(others)} not`,
    hourHead: 'Hour',
    dayHead: 'Day (UTC)',
  },
  heads: {
    events: 'Events',
    accepted: 'Accepted',
    failed: 'Failed',
    unregistered: 'Unregistered',
    expired: 'Expired',
    withdrawn: 'Withdrawn',
    waiting: 'Waiting',
    latency: 'p99',
    route: 'Route',
    state: 'State',
    reason: 'Reason',
    means: 'Meaning and remedy',
    pushes: 'Pushes',
    last: 'Last',
    channel: 'Channel',
  },
  routesTitle: 'Routes',
  open: 'open',
  pausedSince: (when: string) => `paused since ${when}`,
  failuresTitle: 'Last failures',
  unknownReason: 'The documentation of the provider does not mention it.',
  allFailures: (count: number) => `Show all ${whole(count)} reasons`,
  unreachableTitle: 'On call, but not reachable',
  moreUnreachable: (count: number) => `${whole(count)} more cannot be reached.`,
  notShowingTitle: 'Devices that are not showing',
  moreNotShowing: (count: number) => `${whole(count)} more ${plural(count, 'device is', 'devices are')} not showing.`,
  channelsTitle: 'By channel',
  allChannels: (count: number) => `Show all ${whole(count)} channels`,
  loading: 'Loading the overview',
  routes: {
    apns_production: 'Apple (production)',
    apns_sandbox: 'Apple (sandbox)',
    fcm: 'Google (FCM)',
    webpush_google: 'Web Push, Google',
    webpush_mozilla: 'Web Push, Mozilla',
    webpush_apple: 'Web Push, Apple',
    webpush_microsoft: 'Web Push, Microsoft',
    webpush_other: 'Web Push, other',
  },
} as const;

export type Period = keyof typeof texts.periods;
