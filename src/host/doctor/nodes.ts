import { type Finding, ok, warn } from '../../process/finding.ts';
import type { NodeState } from '../../store/postgres/nodes/states.ts';
import { isJsonObject } from '../../values/json.ts';

const CHECK = 'nodes';
/** Three beats. */
const QUIET_MS = 6_000;
const FINE_CLOCK_MS = 1_000;

/** Checks the servers of the store: whether all serve, with the same settings. */
export function nodeFindings(nodes: readonly NodeState[]): readonly Finding[] {
  if (nodes.length === 0) return [warn(CHECK, 'no server runs', 'systemctl start pushctl')];
  const names = [...new Set(nodes.map(({ name }) => name))];
  const served =
    nodes.length === 1
      ? ok(CHECK, `${names[0]} serves, alone: while it is away, no events are taken`)
      : ok(CHECK, `${nodes.length} serve: ${nodes.map(({ name }) => name).join(', ')}`);
  return [
    served,
    ...names.filter((name) => nodes.filter((node) => node.name === name).length > 1).map(nameTwice),
    ...versionFindings(nodes),
    ...settingFindings(nodes),
    ...nodes.filter(isQuiet).map(quietFinding),
    ...nodes.filter(({ hears }) => hears === false).map(deafFinding),
    ...nodes.filter(({ clockAheadMs }) => isClockOff(clockAheadMs)).map(clockFinding),
  ];
}

/** It has missed beats: frozen, overloaded, or cut off. */
export function isQuiet({ silentMs }: Pick<NodeState, 'silentMs'>): boolean {
  return silentMs > QUIET_MS;
}

function nameTwice(name: string): Finding {
  const message = `two are called ${name}: one was just started again, or the name is in use twice`;
  const advice = 'give each machine its own [store] node';
  return warn(CHECK, message, advice);
}

function versionFindings(nodes: readonly NodeState[]): readonly Finding[] {
  if (new Set(nodes.map(({ version }) => version)).size === 1) return [];
  const versions = nodes.map(({ name, version }) => `${name} ${version}`).join(', ');
  return [warn(CHECK, `run different versions: ${versions}`, 'upgrade the others as well')];
}

/** Those that not all have are of another version. */
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
    return [warn(CHECK, `${path} is not the same everywhere: ${values}`, SAME_SETTINGS)];
  });
}

const SAME_SETTINGS = 'make it the same on all machines, and there: systemctl restart pushctl';

function quietFinding({ name, leaseLeftMs, silentMs }: NodeState): Finding {
  const silentS = Math.round(silentMs / 1000);
  const next =
    leaseLeftMs > 0
      ? `in ${Math.ceil(leaseLeftMs / 1000)} s the others take over what it has out`
      : 'the others take over what it has out';
  return warn(CHECK, `${name} has been silent for ${silentS} s; ${next}`, 'look at it: pushctl logs there');
}

function deafFinding({ name }: NodeState): Finding {
  const message = `${name} hears no notices, and looks for changes once a second instead`;
  const advice = 'run pushctl doctor there; behind a pooler: [store] listen_url';
  return warn(CHECK, message, advice);
}

function clockFinding({ name, clockAheadMs }: NodeState): Finding {
  return warn(CHECK, `the clock of ${name} is ${clockOff(clockAheadMs, 'that of the database')}`, SET_CLOCKS);
}

export const SET_CLOCKS = 'let all machines set their clocks by the network: timedatectl set-ntp true';

/** `withinMs`: how exactly it is known. */
export function isClockOff(aheadMs: number, withinMs = 0): boolean {
  return Math.abs(aheadMs) > FINE_CLOCK_MS + withinMs;
}

/** In words. */
export function clockOff(aheadMs: number, other: string): string {
  return `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${other}`;
}
