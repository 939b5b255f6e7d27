import { useState } from 'preact/hooks';
import { ask, change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../components/button.tsx';
import { ChannelSelect, useChannelSearch } from '../../components/channel-search.tsx';
import { Field, SelectField } from '../../components/forms/fields.tsx';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { durationChoice } from '../../format/durations.ts';
import { reminders as texts } from '../../texts/channels.ts';
import { PROPOSED_RINGS, type Reminders, type Rings, remindersOf, ringsOf } from './reminder-terms.ts';

interface Props {
  readonly workspace: string;
  readonly channel: Schema<'Channel'>;
  readonly onDone: (channel: Schema<'Channel'>) => void;
  readonly onClose: () => void;
}

/** Choices in seconds, within the server's limits. */
const REPEATS = [60, 120, 180, 300, 600, 900, 1_800, 3_600];
const UNTILS = [300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400];
const WAITS = [30, 60, 120, 180, 300, 600, 900];
const PERS = [10, 30, 60, 300, 900, 3_600];
const WIDENINGS = [60, 120, 300, 600, 900, 1_800, 3_600];
const AFTERS = [60, 120, 300, 600, 900, 1_800, 3_600, 7_200];

/** Sets a channel's reminders: interval, duration, and later channel. */
export function ReminderForm({ workspace, channel: { slug, name, insist, rings }, onDone, onClose }: Props) {
  const channels = useChannelSearch([workspace], { chosen: insist?.escalate?.channel });
  const save = (wanted: Reminders | null, limit?: Rings | null) => {
    const path = { workspace, channel: slug };
    const body = { insist: wanted, ...(limit !== undefined && { rings: limit }) };
    return change('patch', '/v1/workspaces/{workspace}/channels/{channel}', { path, body });
  };
  // New reminders get a limit unless the person removes it.
  const proposed = rings ?? (insist === null ? PROPOSED_RINGS : null);
  return (
    <FormDialog
      title={texts.title(name)}
      about={texts.about}
      label={texts.save}
      send={(form) => save(remindersOf(form), ringsOf(form))}
      onDone={({ channel }) => onDone(channel)}
      onClose={onClose}
    >
      {({ isWorking, make }) => (
        <>
          <div class="field-pair">
            <SelectField
              name="repeat"
              label={texts.repeat}
              field="insist.repeat"
              {...durationChoice(REPEATS, insist?.repeat ?? 120)}
            />
            <SelectField
              name="until"
              label={texts.until}
              hint={texts.untilHint}
              field="insist.until"
              {...durationChoice(UNTILS, insist?.until ?? 3_600)}
            />
          </div>
          <div class="field-pair">
            <Field label={texts.escalate} field="insist.escalate.channel">
              <ChannelSelect
                of={channels}
                isOffered={(other) => other.slug !== slug}
                chosen={insist?.escalate?.channel}
                any={texts.noOther}
              />
            </Field>
            <SelectField
              name="after"
              label={texts.after}
              field="insist.escalate.after"
              {...durationChoice(AFTERS, insist?.escalate?.after ?? 600)}
            />
          </div>
          <SelectField
            name="ring_after"
            label={texts.ringAfter}
            hint={texts.ringAfterHint}
            field="insist.ring_after"
            of={[['0', texts.atOnce], ...durationChoice(WAITS, insist?.ring_after || 60).of]}
            chosen={String(insist?.ring_after ?? 0)}
          />
          <RotaFields workspace={workspace} onCall={insist?.on_call} />
          <div class="field-pair">
            <Field label={texts.rings} hint={texts.ringsHint} field="rings.at_most">
              <input
                name="at_most"
                type="number"
                inputMode="numeric"
                min={1}
                max={1_000}
                value={proposed?.at_most ?? ''}
              />
            </Field>
            <SelectField
              name="per"
              label={texts.per}
              field="rings.per"
              {...durationChoice(PERS, proposed?.per ?? PROPOSED_RINGS.per)}
            />
          </div>
          {insist !== null && (
            <div>
              <Button
                text={texts.switchOff}
                class="quiet"
                isWorking={isWorking}
                onClick={() => make(() => save(null))}
              />
              <p class="hint">{texts.switchOffHint}</p>
            </div>
          )}
        </>
      )}
    </FormDialog>
  );
}

interface RotaProps {
  readonly workspace: string;
  readonly onCall: NonNullable<Props['channel']['insist']>['on_call'];
}

/** Asks for whom alerts ring first. Nothing in a workspace without a rota. */
function RotaFields({ workspace, onCall }: RotaProps) {
  const { data } = useLoad(workspace, () => ask('get', '/v1/workspaces/{workspace}/rotas', { path: { workspace } }));
  const [rota, setRota] = useState(onCall?.rota ?? '');
  // The channel's own rota is there before the list.
  const known = data?.rotas ?? (onCall === undefined ? [] : [{ slug: onCall.rota, name: onCall.rota }]);
  if (known.length === 0) return null;
  return (
    <div class="field-pair">
      <SelectField
        name="rota"
        label={texts.rota}
        hint={texts.rotaHint}
        field="insist.on_call.rota"
        of={[['', texts.everyone], ...known.map(({ slug, name }) => [slug, texts.personOf(name)] as const)]}
        chosen={rota}
        onChoose={setRota}
      />
      {rota !== '' && (
        <SelectField
          name="widen_after"
          label={texts.widenAfter}
          field="insist.on_call.widen_after"
          {...durationChoice(WIDENINGS, onCall?.widen_after ?? 300)}
        />
      )}
    </div>
  );
}
