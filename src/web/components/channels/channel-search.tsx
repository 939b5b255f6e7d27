import { whole } from '../../format/numbers.ts';
import { ProblemNote } from '../problem-note.tsx';
import './channel-search.css';
import { channelSearch as texts } from '../../texts/devices.ts';
import type { ChannelSearch } from './use-channel-search.ts';

interface Props {
  readonly of: ChannelSearch;
}

/** The channel search field, separate from the form around it. */
export function ChannelSearchField({ of }: Props) {
  return (
    <input
      type="search"
      class="channel-search"
      placeholder={texts.search}
      aria-label={texts.search}
      maxLength={200}
      onInput={({ currentTarget }) => of.search(currentTarget.value)}
      onChange={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.preventDefault();
      }}
    />
  );
}

/** Tells that more channels exist, or none was found. */
export function ChannelsGoOn({ of }: Props) {
  const { data, q, hasMore, isLoadingMore, problem, more } = of;
  const count = data?.reduce((sum, { channels }) => sum + channels.length, 0) ?? 0;
  return (
    <>
      {problem?.kind === 'refused' && <ProblemNote problem={problem} retry={of.reload} />}
      <p class="hint channels-go-on" role="status">
        {count === 0 && q !== '' && texts.none}
        {hasMore && `${texts.first(whole(count))} `}
        {hasMore && (
          <button type="button" aria-disabled={isLoadingMore} onClick={() => void more()}>
            {texts.more}
          </button>
        )}
      </p>
    </>
  );
}
