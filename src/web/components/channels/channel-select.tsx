import { useState } from 'preact/hooks';
import type { Channel } from '../../api/channels.ts';
import { ChannelSearchField, ChannelsGoOn } from './channel-search.tsx';
import type { ChannelSearch } from './use-channel-search.ts';

interface Props {
  readonly of: ChannelSearch;
  /** Limits the choice; absent: all. */
  readonly isOffered?: (channel: Channel) => boolean;
  readonly labelOf?: (slug: string, name: string) => string;
  /** The earlier choice; absent: none. */
  readonly chosen?: string | undefined;
  /** The text for no channel; absent: required. */
  readonly any?: string;
  readonly label?: string;
  /** Set by a `Field`. */
  readonly id?: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: 'true';
}

/** Lets the user choose a channel, with a search beyond one page. The choice survives searches. */
export function ChannelSelect({ of, isOffered = () => true, labelOf = nameAlone, any, label, ...props }: Props) {
  const { chosen: before = '', ...field } = props;
  const [picked, setPicked] = useState({ before, slug: before });
  const offered = of.data?.flatMap(({ channels }) => channels).filter(isOffered) ?? [];
  const names = new Map(offered.map(({ slug, name }) => [slug, name]));
  const first = any === undefined ? (offered[0]?.slug ?? '') : '';
  const chosen = (picked.before === before ? picked.slug : before) || first;
  const all = chosen === '' || names.has(chosen) ? names : new Map([[chosen, of.nameOf(chosen)], ...names]);
  return (
    <>
      {(of.hasMore || of.q !== '') && <ChannelSearchField of={of} />}
      <select
        {...field}
        name="channel"
        aria-label={label}
        required={any === undefined}
        value={chosen}
        onChange={({ currentTarget }) => setPicked({ before, slug: currentTarget.value })}
      >
        {any !== undefined && <option value="">{any}</option>}
        {[...all].map(([slug, name]) => (
          <option key={slug} value={slug}>
            {labelOf(slug, name)}
          </option>
        ))}
      </select>
      <ChannelsGoOn of={of} />
    </>
  );
}

function nameAlone(_: string, name: string): string {
  return name;
}
