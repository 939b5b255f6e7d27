import { ask } from './ask.ts';
import type { Schema } from './client.ts';
import type { Answer } from './problem.ts';

export type Device = Schema<'Device'>;

export async function loadDevices(): Promise<Answer<readonly Device[]>> {
  const devices: Device[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await ask('get', '/v1/devices', { query: { limit: 100, after } });
    if (!page.ok) return page;
    devices.push(...page.data.devices);
    after = page.data.next;
  }
  return { ok: true, data: devices };
}
