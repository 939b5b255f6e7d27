import { tomlValue } from '../../src/config/example.ts';
import { Machine } from './machine.ts';

export const SHOW = 'systemctl show --value --property';

/** A machine on which pushctl is installed, with a sandbox as its provider and one device on one channel. */
export interface Host {
  readonly machine: Machine;
  property(name: string): Promise<string>;
  /** All that the service has said since the boot, and systemd of it. `options` of journalctl choose less of it. */
  journal(options?: string): Promise<string>;
  /** Posts an event to the channel that the device listens on, as an integrator would. */
  post(title: string): Promise<void>;
  /** Resolves once the sandbox has the push. */
  arrived(title: string): Promise<void>;
  /** Resolves once the service runs as another process than `pid`. */
  isBack(pid: string): Promise<void>;
}

interface HostOptions {
  /** Lines of the unit's [Service] section. */
  readonly unit?: string;
  /** A folder that is /opt/packages there. */
  readonly packages?: string;
  /** The command that installs pushctl: by default from the checkout. */
  readonly install?: string;
}

/** Sets the machine up, and ends it after the test. */
export async function withHost(options: HostOptions, test: (host: Host) => Promise<void>): Promise<void> {
  const { packages } = options;
  const machine = await Machine.boot({ ...(packages !== undefined && { packages }) });
  try {
    await test(await setUp(machine, options));
  } finally {
    await machine.end();
  }
}

async function setUp(
  machine: Machine,
  { unit = '', install = '/opt/pushctl/bin/pushctl install' }: HostOptions,
): Promise<Host> {
  const { settings, tokens } = await startSandbox(machine);
  await machine.run(`
    mkdir -p /etc/systemd/system/pushctl.service.d
    printf '[Service]\\n${unit}\\n' > /etc/systemd/system/pushctl.service.d/test.conf
    cat > /etc/pushctl/pushctl.toml <<'EOT'\n${toToml(settings)}\nEOT
    ${install}
    pushctl workspace create acme
    pushctl channel create acme alerts
    pushctl member add acme ada@example.com
    pushctl device add acme ada@example.com --platform ios --token ${tokens.ios_production} --subscribe alerts
    pushctl key issue acme --json | sed 's/.*"key":"\\([^"]*\\)".*/\\1/' > /tmp/key`);
  const show = (name: string) => `$(${SHOW} ${name} pushctl)`;
  return {
    machine,
    property: (name) => machine.run(`${SHOW} ${name} pushctl`),
    // The journal takes lines in its own time: what was written before stands in it only once it says so.
    journal: (options = '') => machine.run(`journalctl --sync; journalctl -b -u pushctl -o cat ${options}`),
    post: async (title) => void (await machine.run(`pushctl send --key-file /tmp/key alerts "${title}"`)),
    arrived: (title) => machine.until(`journalctl -b -u sandbox -o cat | grep -q '"title":"${title}"'`),
    isBack: (pid) => machine.until(`[ ${show('ActiveState')} = active ] && [ ${show('MainPID')} != ${pid} ]`),
  };
}

interface SandboxOf {
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly tokens: Readonly<Record<string, string>>;
}

/**
 * Runs it as a service, too, so that it can be stopped and restarted. Its keys are in the credentials folder of
 * pushctl's unit.
 */
export async function startSandbox(machine: Machine): Promise<SandboxOf> {
  await machine.run(`
    mkdir -m 700 /etc/pushctl
    printf '[Service]\\nExecStart=/opt/pushctl/bin/pushctl sandbox --credentials /etc/pushctl --json\\n' \\
      > /etc/systemd/system/sandbox.service
    systemctl daemon-reload
    systemctl start sandbox`);
  const settings = `journalctl -b -u sandbox -o cat | grep '"settings"'`;
  await machine.until(`${settings} > /dev/null`);
  return JSON.parse(await machine.run(settings)) as SandboxOf;
}

/** The keys by their bare names, so that they are read from systemd's credentials; quick retries. */
export function toToml(settings: SandboxOf['settings']): string {
  const delivery = { retry_first: '100ms', retry_max: '1s', stop_timeout: '1s' };
  return Object.entries({ delivery, ...settings })
    .flatMap(([table, values]) => [
      `[${table}]`,
      ...Object.entries(values).map(([name, value]) => `${name} = ${tomlValue(value).replace('/etc/pushctl/', '')}`),
    ])
    .join('\n');
}
