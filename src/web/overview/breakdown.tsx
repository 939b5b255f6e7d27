import { useState } from 'preact/hooks';
import { namesOf, useChannels } from '../api/channels.ts';
import type { Schema } from '../api/client.ts';
import { nowMs } from '../clock.ts';
import { Button } from '../components/button.tsx';
import { Moment } from '../components/moment.tsx';
import { latencyText } from '../format/durations.ts';
import { whole } from '../format/numbers.ts';
import { msOf, times } from '../format/time.ts';
import { outcomeWord } from '../manage/events/outcome-counts.tsx';
import { Line } from '../manage/line.tsx';
import { explained } from '../texts/explained.ts';
import { overview as texts } from '../texts/workspace.ts';
import { COLUMNS, Table } from './plots.tsx';

type Answer = Schema<'StatisticsAnswer'>;
type Stats = Answer['stats'];

const FAILURES_SHOWN = 10;
const CHANNELS_SHOWN = 20;

/** Lists the latest failures with remedies; withdrawals are intended. */
export function Failures({ stats }: { readonly stats: Stats }) {
  const [hasAll, setAll] = useState(false);
  const all = stats.reasons
    .filter(({ state }) => state !== 'withdrawn')
    .sort((a, b) => b.last_hour.localeCompare(a.last_hour) || b.count - a.count);
  if (all.length === 0) return null;
  const failures = hasAll ? all : all.slice(0, FAILURES_SHOWN);
  return (
    <section id="failures">
      <h2 class="group">{texts.failuresTitle}</h2>
      <ul class="list">
        {failures.map(({ route, state, reason, count, last_hour, means, remedy }) => (
          <li class="entry" key={`${route} ${state} ${reason}`}>
            <div class="entry-text">
              <p class="entry-name">
                <span class="mono">{reason}</span>
              </p>
              <p class="failure-text">
                {means === null ? texts.unknownReason : [means, remedy].map((text) => explained(text ?? '')).join(' ')}
              </p>
              <p class="entry-meta">
                <span>{texts.routes[route]}</span>
                <span class="num">
                  {whole(count)} {outcomeWord(state)}
                </span>
                <Moment at={last_hour} dated />
              </p>
            </div>
          </li>
        ))}
      </ul>
      {failures.length < all.length && <ShowAll text={texts.allFailures(all.length)} onShow={() => setAll(true)} />}
    </section>
  );
}

/** Lists devices that are not showing. What to do stands on the page of each person's own devices. */
export function NotShowing({ workspace, stats }: { readonly workspace: string; readonly stats: Stats }) {
  const { count, first } = stats.not_showing;
  if (count === 0) return null;
  return (
    <section id="not-showing">
      <h2 class="group">{texts.notShowingTitle}</h2>
      <ul class="list lines">
        {first.map(({ id, name, email }) => (
          <Line key={id} href={`/w/${workspace}/devices/${id}`} name={name} more={email} />
        ))}
      </ul>
      {count > first.length && <p class="hint">{texts.moreNotShowing(count - first.length)}</p>}
    </section>
  );
}

/** Lists members of rotas whom alerts of a channel cannot wake. */
export function Unreachable({ workspace, stats }: { readonly workspace: string; readonly stats: Stats }) {
  const { count, first } = stats.on_call_unreachable;
  if (count === 0) return null;
  return (
    <section id="unreachable">
      <h2 class="group">{texts.unreachableTitle}</h2>
      <ul class="list lines">
        {first.map(({ channel, name, email }) => (
          <Line key={`${channel} ${email}`} href={`/w/${workspace}/channels/${channel}`} name={name} more={channel} />
        ))}
      </ul>
      {count > first.length && <p class="hint">{texts.moreUnreachable(count - first.length)}</p>}
    </section>
  );
}

/** Lists routes that were used, wait or are paused. */
export function Routes({ stats, paused_routes }: Answer) {
  const waiting = new Map(stats.waiting.map(({ route, pushes }) => [route, pushes]));
  const paused = new Map(paused_routes.map((pause) => [pause.route, pause]));
  const used = new Map(stats.routes.map((row) => [row.route, row]));
  const off = new Set(paused_routes.filter(({ kind }) => kind === 'off').map(({ route }) => route));
  const shown = new Set([...used.keys(), ...waiting.keys(), ...[...paused.keys()].filter((route) => !off.has(route))]);
  if (shown.size === 0) return null;
  const { route, state, accepted, failed, waiting: waits, latency } = texts.heads;
  return (
    <section>
      <h2 class="group">{texts.routesTitle}</h2>
      <Table
        label={texts.routesTitle}
        heads={[route, state, accepted, failed, waits, latency]}
        rows={[...shown].map((name) => {
          const since = paused.get(name)?.since;
          return {
            key: name,
            cells: [
              texts.routes[name],
              since === undefined ? texts.open : texts.pausedSince(times.since(msOf(since), nowMs.value)),
              whole(used.get(name)?.accepted ?? 0),
              whole(used.get(name)?.failed ?? 0),
              whole(waiting.get(name) ?? 0),
              latencyText(used.get(name)?.latency ?? null),
            ],
          };
        })}
      />
    </section>
  );
}

export function Channels({ workspace, stats }: { readonly workspace: string; readonly stats: Stats }) {
  const names = namesOf(useChannels(workspace) ?? []);
  const [hasAll, setAll] = useState(false);
  const busiest = [...stats.channels].sort((a, b) => b.events - a.events);
  if (busiest.length === 0) return null;
  const shown = hasAll ? busiest : busiest.slice(0, CHANNELS_SHOWN);
  return (
    <section>
      <h2 class="group">{texts.channelsTitle}</h2>
      <Table
        label={texts.channelsTitle}
        heads={[texts.heads.channel, ...COLUMNS.map((name) => texts.heads[name])]}
        rows={shown.map((row) => ({
          key: row.channel,
          cells: [
            <bdi key="">{names.get(row.channel) ?? row.channel}</bdi>,
            ...COLUMNS.map((name) => whole(row[name])),
          ],
        }))}
      />
      {shown.length < busiest.length && (
        <ShowAll text={texts.allChannels(busiest.length)} onShow={() => setAll(true)} />
      )}
    </section>
  );
}

/** A button for the list's rest. */
function ShowAll({ text, onShow }: { readonly text: string; readonly onShow: () => void }) {
  return (
    <p class="end">
      <Button text={text} onClick={onShow} />
    </p>
  );
}
