import { Argument } from 'commander';
import { isServed, pauseOf, whyPaused } from '../../health/findings.ts';
import { ROUTES, type Route } from '../../push.ts';
import type { RouteState } from '../../store/calls.ts';
import type { Command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { type Cell, count, table, when } from '../output/table.ts';

export function addRoute(program: Command, context: CommandContext): void {
  const route = program
    .command('route')
    .description('routes to providers: APNs production, APNs sandbox, FCM, and the push services of browsers')
    .examples('pushctl route list');

  route
    .command('list')
    .description('list the routes: open or paused, why, and which devices they reject')
    .examples('pushctl route list')
    .action(async () => {
      const routes = await context.withStore((store) => store.listRoutes({}));
      const isShared = (await context.config()).store !== null;
      context.print({ routes: routes.map((row) => documentOf(row, isServed(routes))) }, () =>
        list(context, routes, isShared),
      );
    });

  route
    .command('pause')
    .addArgument(routeArgument())
    .description('pause a route until it is resumed, even across restarts; its pushes wait or expire')
    .examples('pushctl route pause apns_production')
    .action(async (name: Route) => {
      const { paused_at } = await context.withStore((store) => store.pauseRoute({ route: name }));
      const next = `Its pushes wait until: pushctl route resume ${name}`;
      context.print({ route: name, paused_at }, () => `Paused ${name}. ${next}`);
    });

  route
    .command('resume')
    .addArgument(routeArgument())
    .description('end the pause of an operator; a route that is paused for another reason is tried at once')
    .examples('pushctl route resume apns_production')
    .action((name: Route) => resume(context, name));
}

function routeArgument(): Argument {
  return new Argument('<route>', 'name of the route').choices(ROUTES);
}

async function resume(context: CommandContext, name: Route): Promise<void> {
  const { answer, routes } = await context.withStore(async (store) => ({
    answer: await store.resumeRoute({ route: name }),
    routes: await store.listRoutes({}),
  }));
  const state = routes.find(({ route }) => route === name);
  const pause = state === undefined ? null : pauseOf(state);
  const tried = pause
    ? `${name} is still paused (${whyPaused(pause)}), and is tried at once: pushctl route list`
    : `${name} is open.`;
  context.print({ route: name, was_paused: answer.was_paused, pause }, () => tried);
}

function documentOf(state: RouteState, isServed: boolean) {
  const { route, quarantined, live } = state;
  const pause = pauseOf(state);
  return { route, state: stateOf(live, pause, isServed), pause, doubt: live?.doubt ?? null, quarantined };
}

/** Returns a route's state. `unknown`: no server runs. */
function stateOf(
  live: RouteState['live'],
  pause: object | null,
  isServed: boolean,
): 'open' | 'paused' | 'not_configured' | 'unknown' {
  if (pause !== null) return 'paused';
  if (live !== null) return 'open';
  return isServed ? 'not_configured' : 'unknown';
}

function list(context: CommandContext, routes: readonly RouteState[], isShared: boolean): string {
  const served = isServed(routes);
  const rows = routes.map((row): Cell[] => {
    const { route, state, pause, quarantined } = documentOf(row, served);
    const refused = quarantined.map(({ reason, devices }) => `${count(devices, 'device')}: ${reason}`).join('; ');
    return [route, state.replace('_', ' '), when(pause?.since ?? null), pause && whyPaused(pause), refused || null];
  });
  const shown = table(context, ['ROUTE', 'STATE', 'SINCE', 'WHY', 'REFUSED'], rows, '');
  return [shown, ...notes(routes, served ? [] : [isShared ? NO_NODE_HERE : NOT_SERVED])].join('\n\n');
}

const NOT_SERVED = 'The server does not run, so nothing is sent. Only pauses by operators are known.';
const NO_NODE_HERE =
  'No server runs on this machine. Each server pauses routes for itself, so ask on its machine. Here, only pauses by operators are known.';

function notes(routes: readonly RouteState[], off: readonly string[]): readonly string[] {
  const [first] = routes.flatMap(({ route, quarantined }) => quarantined.map((group) => ({ route, ...group })));
  if (first === undefined) return off;
  const { route, reason } = first;
  return [
    ...off,
    `Refused devices are dead, or their environment, topic or project is wrong. The
next accepted push to another device of the route settles which. Until then only
their pushes wait. If the configuration is right (pushctl doctor), deactivate
the devices yourself:
pushctl device prune --route ${route} --reason ${reason}`,
  ];
}

export function addWebPush(program: Command, context: CommandContext): void {
  const webpush = program.command('webpush').description('pushes to browsers').examples('pushctl webpush key');

  webpush
    .command('key')
    .description('show the public key that browsers subscribe with; it is created when first needed')
    .examples('pushctl webpush key')
    .action(async () => {
      const shown = await context.withStore((store) => store.showWebPushKey({}));
      context.print(shown, () => shown.public_key);
    });
}
