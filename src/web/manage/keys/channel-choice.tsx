import { useState } from 'preact/hooks';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import './channel-choice.css';
import { type ChannelSearch, ChannelSearchField, ChannelsGoOn } from '../../components/channel-search.tsx';
import { keys as texts } from '../../texts/senders.ts';

interface Props {
  readonly of: ChannelSearch;
  readonly error: string | undefined;
}

/** A key's channels. The search never unselects hidden ones. */
export function ChannelChoice({ of: search, error }: Props) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  if (search.data === null && search.problem !== null) {
    return <ProblemNote problem={search.problem} retry={search.reload} />;
  }
  if (search.data === null) return <Skeleton label={texts.channels} rows={2} />;
  const found = search.data.flatMap(({ channels }) => channels);
  const hidden = [...chosen].filter((slug) => !found.some((channel) => channel.slug === slug));
  const choose = (slug: string, isChosen: boolean): void => {
    const others = [...chosen].filter((other) => other !== slug);
    setChosen(new Set(isChosen ? [...others, slug] : others));
  };
  if (found.length === 0 && search.q === '') return null;
  return (
    <fieldset class="checks">
      <legend>{texts.channels}</legend>
      <p class="hint">{texts.channelsHint}</p>
      {search.isMany && <ChannelSearchField of={search} />}
      {hidden.map((slug) => (
        <input key={slug} type="hidden" name="channel" value={slug} />
      ))}
      {found.length > 0 && (
        <div class="checks-many">
          {found.map(({ slug, name }) => (
            <label key={slug}>
              <input
                type="checkbox"
                name="channel"
                value={slug}
                checked={chosen.has(slug)}
                onChange={({ currentTarget }) => choose(slug, currentTarget.checked)}
              />
              <span>
                <bdi>{name}</bdi> {name !== slug && <span class="hint">{slug}</span>}
              </span>
            </label>
          ))}
        </div>
      )}
      {search.isMany && (
        <p class="hint" role="status">
          {texts.chosen(chosen.size, found.length)}
        </p>
      )}
      <ChannelsGoOn of={search} />
      {error && <p class="field-error">{error}</p>}
    </fieldset>
  );
}
