import { byName } from '../../format/by-name.ts';

interface Channel {
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'inactive';
}
interface Wanted {
  readonly q?: string;
  readonly status?: string;
}

/**
 * The channels whose name or slug holds the text, of the state that is asked for: what is inactive comes first, and each
 * in the order of names.
 */
export function wantedChannels<C extends Channel>(channels: readonly C[], { q = '', status }: Wanted): readonly C[] {
  const text = q.toLocaleLowerCase();
  return channels
    .filter((one) => status === undefined || one.status === status)
    .filter(({ name, slug }) => `${name}\n${slug}`.toLocaleLowerCase().includes(text))
    .sort((a, b) => Number(a.status === 'active') - Number(b.status === 'active') || byName(a.name, b.name));
}
