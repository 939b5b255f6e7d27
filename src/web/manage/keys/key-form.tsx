import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { serverNow } from '../../clock.ts';
import {
  type ChannelSearch,
  ChannelSearchField,
  ChannelsGoOn,
  useChannelSearch,
} from '../../components/channel-search.tsx';
import { Checks, Field, GroupError, SelectField } from '../../components/forms/fields.tsx';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { Skeleton } from '../../components/loading.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { common } from '../../texts/common.ts';
import { send as sendTexts, keys as texts } from '../../texts/senders.ts';
import { keyTermsOf, SCOPES } from '../terms.ts';

interface Props {
  readonly workspace: string;
  readonly onIssued: (issued: Schema<'IssuedKey'>) => void;
  readonly onClose: () => void;
}

export function KeyForm({ workspace, onIssued, onClose }: Props) {
  const [hasNoScope, setNoScope] = useState(false);
  const channels = useChannelSearch([workspace]);
  const check = (form: FormData): boolean => {
    setNoScope(!form.has('scope'));
    return form.has('scope');
  };
  const send = (form: FormData) => {
    const body = keyTermsOf(form, serverNow());
    return change('post', '/v1/workspaces/{workspace}/keys', { path: { workspace }, body });
  };
  return (
    <FormDialog
      title={texts.issueTitle}
      label={texts.issue}
      // Without chosen channels, the key would be for all.
      isReady={channels.data !== null}
      onDone={onIssued}
      {...{ check, send, onClose }}
    >
      <Field label={texts.name} hint={texts.nameHint} field="name">
        <input name="name" required maxLength={255} autocomplete="off" />
      </Field>
      <Checks
        label={texts.scopes}
        name="scope"
        options={SCOPES}
        textOf={texts.scope}
        isChosen={(scope) => scope === 'events:write'}
        field="scopes"
        error={hasNoScope ? texts.noScope : undefined}
      />
      <ChannelChoice of={channels} />
      <SelectField name="life" label={texts.expires} field="expires_at" of={texts.lives} />
      <Field label={texts.burst} hint={texts.burstHint} field="burst_per_minute">
        <input name="burst" type="number" inputMode="numeric" min={1} max={1_000_000} />
      </Field>
      <SelectField
        name="level"
        label={texts.level}
        hint={texts.levelHint}
        of={{ '': texts.noDefault, ...common.levels }}
      />
      <SelectField name="delivery_urgency" label={texts.urgency} of={{ '': texts.noDefault, ...sendTexts.urgencies }} />
    </FormDialog>
  );
}

interface ChannelChoiceProps {
  readonly of: ChannelSearch;
}

/** A key's channels. The search never unselects hidden ones. */
function ChannelChoice({ of: search }: ChannelChoiceProps) {
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
      <GroupError field="channels" />
    </fieldset>
  );
}
