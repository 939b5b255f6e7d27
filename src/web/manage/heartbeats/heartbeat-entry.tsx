import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { Command } from '../../components/command.tsx';
import { LevelMark } from '../../components/level-mark.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { heartbeats as texts } from '../../texts/senders.ts';
import { FoldedLine, LineFact } from '../line.tsx';

type Heartbeat = Schema<'Heartbeat'>;

const LEVELS = { down: 'error', late: 'warning', new: 'info', up: 'success', paused: 'info' } as const;

interface Props {
  readonly workspace: string;
  readonly heartbeat: Heartbeat;
  /** These three are for entitled users. */
  readonly onChange?: () => Promise<void>;
  readonly onEdit?: () => void;
  readonly onRemove?: () => void;
}

/** Shows the state while closed; open, how the job reports. */
export function HeartbeatEntry({ workspace, heartbeat, onChange, onEdit, onRemove }: Props) {
  const { name, channel_name: channel, state, last_ping_at: pinged, due_at: due } = heartbeat;
  const { ping_url: url, last_output: output, flaps_since: flapping } = heartbeat;
  const shown = texts.states[state];
  return (
    <FoldedLine
      name={name}
      mark={<LevelMark level={LEVELS[state]} />}
      facts={
        <>
          {pinged !== null && (
            <LineFact isWide>
              {texts.lastPing} <Moment at={pinged} dated />
            </LineFact>
          )}
          <LineFact>{flapping === null ? shown : texts.flaps(shown)}</LineFact>
        </>
      }
    >
      <p class="entry-meta">
        <span>
          {texts.channel} <bdi>{channel}</bdi>
        </span>
        {due !== null && (
          <span>
            {texts.due} <Moment at={due} dated />
          </span>
        )}
      </p>
      {url !== undefined && (
        <>
          <p>{texts.ping}</p>
          <Command text={`curl -fsS -m 10 --retry 5 ${url}`} />
        </>
      )}
      {output !== null && output !== '' && (
        <>
          <p>{texts.output}</p>
          <pre class="heartbeat-output" dir="auto">
            {output}
          </pre>
        </>
      )}
      {onChange && onEdit && onRemove && <Actions {...{ workspace, heartbeat, onChange, onEdit, onRemove }} />}
    </FoldedLine>
  );
}

function Actions({ workspace, heartbeat: { slug, name, state }, onChange, onEdit, onRemove }: Required<Props>) {
  const { isWorking, problem, make } = useChange();
  const isPaused = state === 'paused';
  const toggle = async (): Promise<void> => {
    const path = { workspace, heartbeat: slug };
    const address = `/v1/workspaces/{workspace}/heartbeats/{heartbeat}/${isPaused ? 'resume' : 'pause'}` as const;
    if ((await make(() => change('post', address, { path }))) !== null) await onChange();
  };
  return (
    <>
      <ProblemNote problem={problem} />
      <div class="actions">
        <Button text={texts.edit} named={texts.editOf(name)} onClick={onEdit} />
        <Button
          text={isPaused ? texts.resume : texts.pause}
          named={(isPaused ? texts.resumeOf : texts.pauseOf)(name)}
          isWorking={isWorking}
          onClick={toggle}
        />
        <Button text={texts.remove} class="danger" named={texts.removeOf(name)} onClick={onRemove} />
      </div>
    </>
  );
}
