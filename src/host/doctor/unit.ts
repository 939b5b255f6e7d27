import { existsSync } from 'node:fs';
import { type Finding, fail, ok, warn } from '../../process/finding.ts';
import { installedLauncher, packagedUnit } from '../installed.ts';
import type { Machine } from '../machine.ts';
import { output } from '../unit-sandbox.ts';

const PROPERTIES = [
  'LoadState',
  'ActiveState',
  'UnitFileState',
  'NRestarts',
  'Result',
  'ActiveEnterTimestamp',
] as const;
const LINES = 5;
const MAX_LINE_LENGTH = 400;

export type UnitState = Readonly<Record<(typeof PROPERTIES)[number], string>>;

/** The service's state in systemd. `lines`: the last ones of a failing service. */
interface UnitReport {
  readonly state: UnitState;
  readonly lines: readonly string[];
}

/** Checks the service's state; `report` null: no systemd. */
export function checkUnit(report: UnitReport | null): Finding[] {
  return report === null ? [] : [judged(report)];
}

/** Returns whether systemd keeps restarting the service, which then needs a fix, not a start. */
export function isRestarting({ ActiveState, NRestarts }: UnitState): boolean {
  return ActiveState === 'activating' && Number(NRestarts) > 0;
}

/** Checks whether a unit of `pushctl install` hides that of the later Debian package. */
export function checkUnitInForce(machine: Pick<Machine, 'path'>): Finding[] {
  const launcher = installedLauncher(machine);
  const packaged = packagedUnit(machine);
  if (launcher === null || packaged === undefined) return [];
  const message = `the service still runs ${launcher}, which was installed before the package; ${packaged} of the package has no effect`;
  return [
    fail(
      'systemd',
      message,
      'sudo pushctl uninstall; then the unit of the package applies, and configuration and data stay',
    ),
  ];
}

function judged({ state, lines }: UnitReport): Finding {
  const { LoadState, ActiveState, UnitFileState, NRestarts, Result, ActiveEnterTimestamp } = state;
  const check = 'systemd';
  const log = 'see why: journalctl -u pushctl -n 50';
  if (LoadState === 'not-found') return ok(check, 'has no service pushctl; to create it: sudo pushctl install');
  if (LoadState !== 'loaded') return fail(check, `cannot read the unit (${LoadState})`, 'systemctl status pushctl');
  if (ActiveState === 'failed') {
    const advice = lines.length === 0 ? log : 'fix what they report';
    return fail(
      check,
      `the service has failed (${Result})${quoted(lines)}`,
      `${advice}; then: systemctl start pushctl`,
    );
  }
  if (isRestarting(state)) {
    const advice = lines.length === 0 ? log : 'fix what they report; systemd restarts it by itself';
    return fail(check, `the service keeps failing (${NRestarts} restarts)${quoted(lines)}`, advice);
  }
  if (ActiveState === 'activating') return warn(check, 'the service is starting', 'run this again in a minute');
  if (ActiveState !== 'active') return warn(check, `the service is ${ActiveState}`, 'systemctl start pushctl');
  if (UnitFileState !== 'enabled') {
    return warn(check, 'the service will not start with the machine', 'systemctl enable pushctl');
  }
  if (Number(NRestarts) > 0) {
    const last = ActiveEnterTimestamp === '' ? '' : `, last ${ActiveEnterTimestamp}`;
    return warn(check, `systemd had to restart the service (${NRestarts} times${last})`, log);
  }
  return ok(check, 'the service runs, and starts with the machine');
}

function quoted(lines: readonly string[]): string {
  return lines.length === 0 ? '' : ['. Its last lines:', ...lines].join('\n');
}

/** Returns the report of systemd and its journal; null: no systemd, or no answer. */
export function reportOfUnit(): UnitReport | null {
  if (!existsSync('/run/systemd/system')) return null;
  const properties = output('/usr/bin/systemctl', ['show', 'pushctl.service', `--property=${PROPERTIES.join(',')}`]);
  const state = stateIn(properties ?? '');
  if (state === null) return null;
  const isDown = state.ActiveState === 'failed' || isRestarting(state);
  return { state, lines: isDown ? lastLines() : [] };
}

/** Returns its own lines, without systemd's; none for users who may not read the journal. */
function lastLines(): readonly string[] {
  const args = ['_SYSTEMD_UNIT=pushctl.service', '--boot', `--lines=${LINES}`, '--output=cat', '--no-pager', '--quiet'];
  const lines = (output('/usr/bin/journalctl', args) ?? '').split('\n').filter((line) => line !== '');
  return lines.map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line));
}

function stateIn(properties: string): UnitState | null {
  const entries = properties.split('\n').map((line) => line.split('=', 2));
  const state = Object.fromEntries(entries) as Partial<UnitState>;
  return state.LoadState === undefined ? null : { ...EMPTY, ...state };
}

const EMPTY: UnitState = {
  LoadState: '',
  ActiveState: '',
  UnitFileState: '',
  NRestarts: '0',
  Result: '',
  ActiveEnterTimestamp: '',
};
