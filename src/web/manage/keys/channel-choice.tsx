import { useState } from 'preact/hooks';
import type { Schema } from '../../api/client.ts';
import { texts } from '../../texts/keys.ts';
import './channel-choice.css';

interface Props {
  readonly channels: readonly Schema<'Channel'>[];
  readonly error: string | undefined;
}

/** From so many on there is a field to search them. */
const MANY = 8;

/** The channels that a key is bound to. What the search hides stays chosen. */
export function ChannelChoice({ channels, error }: Props) {
  const [sought, setSought] = useState('');
  const [chosen, setChosen] = useState(0);
  const isShown = ({ slug, name }: Schema<'Channel'>) => `${slug}\n${name}`.toLowerCase().includes(sought);
  const isMany = channels.length >= MANY;
  const count = (list: HTMLElement): void => setChosen(list.querySelectorAll(':checked').length);
  return (
    <fieldset class="checks">
      <legend>{texts.channels}</legend>
      <p class="hint">{texts.channelsHint}</p>
      {isMany && (
        <input
          type="search"
          placeholder={texts.searchChannels}
          aria-label={texts.searchChannels}
          onInput={({ currentTarget }) => setSought(currentTarget.value.trim().toLowerCase())}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
      )}
      <div class="checks-many" onChange={({ currentTarget }) => count(currentTarget)}>
        {channels.map((channel) => (
          <label key={channel.slug} hidden={!isShown(channel)}>
            <input type="checkbox" name="channel" value={channel.slug} />
            <bdi>{channel.name}</bdi>
            {channel.name !== channel.slug && <span class="hint">{channel.slug}</span>}
          </label>
        ))}
      </div>
      {isMany && (
        <p class="hint" role="status">
          {texts.chosen(chosen, channels.filter(isShown).length)}
        </p>
      )}
      {error && <p class="field-error">{error}</p>}
    </fieldset>
  );
}
