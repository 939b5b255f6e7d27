import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Finding, fail, ok, warn } from './finding.ts';

const DEADLINE_MS = 5_000;
const PROPERTIES = ['LoadState', 'ActiveState', 'UnitFileState', 'NRestarts', 'Result'] as const;
export type UnitState = Readonly<Record<(typeof PROPERTIES)[number], string>>;

/** The state of the service where systemd knows one. `show`: what systemd says; null: there is no systemd. */
export async function checkUnit(show: () => Promise<UnitState | null>): Promise<Finding[]> {
  const state = await show();
  if (state === null) return [];
  return [judged(state)];
}

function judged({ LoadState, ActiveState, UnitFileState, NRestarts, Result }: UnitState): Finding {
  const check = 'systemd';
  const log = 'see why: journalctl -u pushctl -n 50';
  if (LoadState === 'not-found') return ok(check, 'has no service pushctl: `sudo pushctl install` makes one');
  if (LoadState !== 'loaded') return fail(check, `cannot read the unit (${LoadState})`, 'systemctl status pushctl');
  if (ActiveState === 'failed')
    return fail(check, `the service has failed (${Result})`, `${log}; then: systemctl start pushctl`);
  if (ActiveState !== 'active') return warn(check, `the service is ${ActiveState}`, 'systemctl start pushctl');
  if (UnitFileState !== 'enabled') {
    return warn(check, 'the service will not start with the machine', 'systemctl enable pushctl');
  }
  if (Number(NRestarts) > 0) return warn(check, `the service had to be started again (${NRestarts} times)`, log);
  return ok(check, 'the service runs, and starts with the machine');
}

export async function systemctlShow(): Promise<UnitState | null> {
  if (!existsSync('/run/systemd/system')) return null;
  const args = ['show', 'pushctl.service', `--property=${PROPERTIES.join(',')}`];
  const said = await new Promise<string>((resolve) => {
    execFile('/usr/bin/systemctl', args, { timeout: DEADLINE_MS }, (_, stdout) => resolve(stdout));
  });
  const entries = said.split('\n').map((line) => line.split('=', 2));
  const state = Object.fromEntries(entries) as Partial<UnitState>;
  return state.LoadState === undefined ? null : { ...EMPTY, ...state };
}

const EMPTY: UnitState = { LoadState: '', ActiveState: '', UnitFileState: '', NRestarts: '0', Result: '' };
