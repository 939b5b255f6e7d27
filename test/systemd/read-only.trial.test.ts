import { spawnSync } from 'node:child_process';
import { existsSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';

const DATA = '/var/lib/pushctl';
const BYTES = 128 * 1024 * 1024;

const onADisk = skipWhere(Machine.obstacle() ?? obstacleToDisks(), test);

onADisk(
  'A data folder that the kernel makes read-only takes no events and says so; all that was promised is sent once it is mounted again',
  async () => {
    await using opened = new Resources();
    const { device, fail } = aDisk(opened);
    await withHost({}, async ({ machine, post, arrived, journal, property }) => {
      await machine.run('systemctl stop pushctl');
      await machine.mount(device, '/mnt');
      await machine.run(`cp -a ${DATA}/. /mnt && chown pushctl: /mnt && chmod 700 /mnt && umount /mnt`);
      await machine.mount(device, DATA);
      await machine.run('systemctl start pushctl; systemctl stop sandbox');
      assert.match(await machine.run('pushctl doctor || true'), /^ok +data folder/m);
      const titles = Array.from({ length: 8 }, (_, place) => `promised, ${place}`);
      for (const title of titles) await post(title);

      fail();
      const refused = await machine.run('! pushctl send --key-file /tmp/key --retry-for 0s alerts "not promised" 2>&1');
      assert.match(refused, 'cannot store anything just now');
      await machine.until("pushctl status > /tmp/status; grep -q 'whether it is mounted read-only' /tmp/status");
      await machine.run('! pushctl status');

      await machine.run('systemctl stop pushctl');
      assert.is(await property('Result'), 'success', await journal());
      await machine.run(`umount ${DATA}; fsck.ext4 -fy ${device} || [ $? = 1 ]`);
      await machine.mount(device, DATA);
      await machine.run('systemctl start pushctl sandbox');
      for (const title of titles) await arrived(title);
      await machine.run('! journalctl -b -u sandbox -o cat | grep "not promised"');
      await machine.run(`systemctl stop pushctl; umount ${DATA}`);
    });
  },
);

test.run();

/** A file system of its own. \`fail\` does what an error of the disk does: the kernel makes it read-only. */
function aDisk(opened: Resources): { readonly device: string; readonly fail: () => void } {
  const image = join(temporaryFolder(), 'disk');
  writeFileSync(image, '');
  truncateSync(image, BYTES);
  run('mkfs.ext4', '-q', '-F', image);
  const device = run('losetup', '--show', '--find', image);
  opened.onEnd(() => void run('losetup', '--detach', device));
  return { device, fail: () => writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, '1') };
}

function obstacleToDisks(): string | null {
  if (!existsSync('/dev/loop-control')) return 'needs loop devices';
  return spawnSync('losetup', ['--find']).status === 0 ? null : 'needs a loop device';
}

function run(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  assert.is(status, 0, stderr);
  return stdout.trim();
}
