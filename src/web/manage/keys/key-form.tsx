import './channel-choice.css';
import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { serverNow } from '../../clock.ts';
import {
  type ChannelSearch,
  ChannelSearchField,
  ChannelsGoOn,
  useChannelSearch,
} from '../../components/channel-search.tsx';
import { Checks, Field, Options } from '../../components/forms/fields.tsx';
import { dataOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { common } from '../../texts/common.ts';
import { send, keys as texts } from '../../texts/senders.ts';
import { keyTermsOf, SCOPES } from '../terms.ts';

interface Props {
  readonly workspace: string;
  readonly onIssued: (issued: Schema<'IssuedKey'>) => void;
  readonly onClose: () => void;
}

export function KeyForm({ workspace, onIssued, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const [hasNoScope, setNoScope] = useState(false);
  const channels = useChannelSearch([workspace]);
  const submit = async (event: SubmitEvent): Promise<void> => {
    const body = keyTermsOf(dataOf(event), serverNow());
    setNoScope(body.scopes.length === 0);
    // Without chosen channels, the key would be for all.
    if (body.scopes.length === 0 || channels.data === null) return;
    const issued = await make(() => change('post', '/v1/workspaces/{workspace}/keys', { path: { workspace }, body }));
    if (issued !== null) onIssued(issued.data);
  };
  return (
    <FormDialog
      title={texts.issueTitle}
      label={texts.issue}
      isWorking={isWorking || channels.data === null}
      onSubmit={submit}
      {...{ problem, onClose }}
    >
      <Field label={texts.name} hint={texts.nameHint} error={problem?.fields.name}>
        <input name="name" required maxLength={255} autocomplete="off" />
      </Field>
      <Checks
        label={texts.scopes}
        name="scope"
        options={SCOPES}
        textOf={texts.scope}
        isChosen={(scope) => scope === 'events:write'}
        error={hasNoScope ? texts.noScope : problem?.fields.scopes}
      />
      <ChannelChoice of={channels} error={problem?.fields.channels} />
      <Field label={texts.expires} error={problem?.fields.expires_at}>
        <select name="life">
          <Options of={texts.lives} />
        </select>
      </Field>
      <Field label={texts.burst} hint={texts.burstHint} error={problem?.fields.burst_per_minute}>
        <input name="burst" type="number" inputMode="numeric" min={1} max={1_000_000} />
      </Field>
      <Field label={texts.level} hint={texts.levelHint} error={problem?.fields.level}>
        <select name="level">
          <Options of={{ '': texts.noDefault, ...common.levels }} />
        </select>
      </Field>
      <Field label={texts.urgency} error={problem?.fields.delivery_urgency}>
        <select name="delivery_urgency">
          <Options of={{ '': texts.noDefault, ...send.urgencies }} />
        </select>
      </Field>
    </FormDialog>
  );
}

interface ChannelChoiceProps {
  readonly of: ChannelSearch;
  readonly error: string | undefined;
}

/** A key's channels. The search never unselects hidden ones. */
function ChannelChoice({ of: search, error }: ChannelChoiceProps) {
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
