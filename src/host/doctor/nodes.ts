import { type Finding, fail, ok, warn } from '../../process/finding.ts';
import type { NodeState } from '../../store/postgres/nodes/states.ts';
import { isJsonObject } from '../../values/json.ts';

const CHECK = 'nodes';
/** Three beats. */
const QUIET_MS = 6_000;
const FINE_CLOCK_MS = 1_000;

/** Checks that the store's servers have the same settings. */
export function nodeFindings(nodes: readonly NodeState[]): readonly Finding[] {
  if (nodes.length === 0) return [warn(CHECK, 'no server is running', 'systemctl start pushctl')];
  const names = [...new Set(nodes.map(({ name }) => name))];
  const served =
    nodes.length === 1
      ? ok(CHECK, `only ${names[0]} is running: while it is down, no events are accepted`)
      : ok(CHECK, `${nodes.length} are running: ${nodes.map(({ name }) => name).join(', ')}`);
  return [
    served,
    ...names.filter((name) => nodes.filter((node) => node.name === name).length > 1).map(nameTwice),
    ...versionFindings(nodes),
    ...settingFindings(nodes),
    ...nodes.filter(isQuiet).map(quietFinding),
    ...nodes.flatMap(refusalFindings),
    ...nodes.filter(({ hears }) => hears === false).map(deafFinding),
    ...nodes.filter(({ clockAheadMs }) => isClockOff(clockAheadMs)).map(clockFinding),
  ];
}

/** Returns whether it missed beats: frozen, overloaded, or cut off. */
export function isQuiet({ silentMs }: Pick<NodeState, 'silentMs'>): boolean {
  return silentMs > QUIET_MS;
}

/** Returns why a server accepts no events, in its own last report; null: it does. */
export function refusalOf({ health }: Pick<NodeState, 'health'>): string | null {
  return typeof health.refuses_events === 'string' ? health.refuses_events : null;
}

function refusalFindings(node: NodeState): readonly Finding[] {
  const reason = refusalOf(node);
  if (reason === null || isQuiet(node)) return [];
  const message = `${node.name} accepts no events: ${reason}`;
  return [fail(CHECK, message, 'see the log on that machine: pushctl logs --level warn')];
}

function nameTwice(name: string): Finding {
  const message = `two servers are called ${name}: either it was just restarted, or two machines use the name`;
  const advice = 'give each machine its own [store] node';
  return warn(CHECK, message, advice);
}

function versionFindings(nodes: readonly NodeState[]): readonly Finding[] {
  if (new Set(nodes.map(({ version }) => version)).size === 1) return [];
  const versions = nodes.map(({ name, version }) => `${name} ${version}`).join(', ');
  return [warn(CHECK, `servers run different versions: ${versions}`, 'upgrade the older servers')];
}

/** Settings missing on some servers belong to another version. */
function settingFindings(nodes: readonly NodeState[]): readonly Finding[] {
  const reports = nodes.map(({ name, health: { settings } }) => ({
    name,
    settings: isJsonObject(settings) ? settings : {},
  }));
  const paths = [...new Set(reports.flatMap(({ settings }) => Object.keys(settings)))].toSorted();
  return paths.flatMap((path) => {
    const having = reports.filter(({ settings }) => path in settings);
    if (new Set(having.map(({ settings }) => settings[path])).size === 1) return [];
    const values = having.map(({ name, settings }) => `${name} ${settings[path] || 'empty'}`).join(', ');
    return [warn(CHECK, `${path} differs between the servers: ${values}`, SAME_SETTINGS)];
  });
}

const SAME_SETTINGS = 'set the same value on all machines, then restart the changed ones: systemctl restart pushctl';

function quietFinding({ name, leaseLeftMs, silentMs }: NodeState): Finding {
  const silentS = Math.round(silentMs / 1000);
  const next =
    leaseLeftMs > 0
      ? `in ${Math.ceil(leaseLeftMs / 1000)} s the others take over its pushes`
      : 'the others take over its pushes';
  return warn(CHECK, `${name} has been silent for ${silentS} s; ${next}`, 'see the log on that machine: pushctl logs');
}

function deafFinding({ name }: NodeState): Finding {
  const message = `${name} receives no notices, so it polls for changes once a second`;
  const advice = 'run pushctl doctor on that machine; behind a pooler, set [store] listen_url';
  return warn(CHECK, message, advice);
}

function clockFinding({ name, clockAheadMs }: NodeState): Finding {
  return warn(CHECK, `the clock of ${name} is ${clockOff(clockAheadMs, 'the clock of the database')}`, SET_CLOCKS);
}

export const SET_CLOCKS = 'synchronize the clocks of all machines: timedatectl set-ntp true';

/** `withinMs`: how exactly it is known. */
export function isClockOff(aheadMs: number, withinMs = 0): boolean {
  return Math.abs(aheadMs) > FINE_CLOCK_MS + withinMs;
}

/** In words. */
export function clockOff(aheadMs: number, other: string): string {
  return `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${other}`;
}
