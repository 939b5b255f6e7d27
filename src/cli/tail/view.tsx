import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import type { RoutePulse } from '../../server/feed/items.ts';
import type { Watched } from '../../store/calls.ts';
import type { Percentiles } from '../../values/histogram.ts';
import { plain } from '../output/printable.ts';
import { shortDuration, sparkline } from '../output/stats-report.ts';
import { show } from '../output/table.ts';
import { errorsOf, matchingLines, type OutcomeLine, ratesOf, type TailState } from './state.ts';

export interface TailViewProps {
  readonly tail: TailState;
  readonly isUp: boolean;
  readonly isPaused: boolean;
  readonly filter: string;
  readonly isTyping: boolean;
  readonly watched: Watched;
  readonly columns: number;
  readonly rows: number;
}

/** Title, two rates, latency, blank, two headings, keys, and a free last row. */
const FIXED_ROWS = 9;
const RATE_LABEL = 26;
/** Longer waits after a push became sendable are worth a look. */
const LATE_MS = 60_000;

/** Renders the server's work: rates, queue, failures, latest outcomes. */
export function TailView(props: TailViewProps): ReactElement {
  const { tail, filter, columns, rows } = props;
  const latest = tail.pulses.at(-1);
  const routes = latest?.routes ?? [];
  const paused = routes.filter(({ pause }) => pause !== null);
  const lines = matchingLines(tail, filter, rows - FIXED_ROWS - routes.length - paused.length);
  const rates = ratesOf(tail);
  return (
    <Box flexDirection="column" width={columns} height={Math.max(1, rows - 1)} overflow="hidden">
      <Title {...props} />
      <Rate name="events" values={rates.events} columns={columns} />
      <Rate name="pushes" values={rates.pushes} columns={columns} />
      <Latency latency={latest?.latency ?? null} />
      <Text> </Text>
      <RouteHeading />
      {routes.map((route) => (
        <RouteLine key={route.route} pulse={route} errors={errorsOf(tail, route.route)} />
      ))}
      <Text bold>{filter === '' ? 'Latest outcomes' : `Latest outcomes with "${plain(filter)}"`}</Text>
      {lines.map((line) => (
        <Outcome key={line.number} line={line} />
      ))}
      <Box flexGrow={1} />
      <Keys {...props} />
    </Box>
  );
}

function Title({ isUp, isPaused, watched, tail }: TailViewProps): ReactElement {
  const at = tail.pulses.at(-1)?.at.slice(11, 19) ?? '';
  return (
    <Text wrap="truncate">
      <Text bold>pushctl</Text> {namesOf(watched)} <Text dimColor>{at}Z</Text>
      {isPaused && <Text color="magenta"> paused</Text>}
      {!isUp && <Text color="red"> the server has stopped; waiting for it</Text>}
    </Text>
  );
}

/** Returns what is watched, from large to small: `acme/alerts fcm`, and an event's id. */
function namesOf({ workspace, channel, route, event }: Watched): string {
  const place = channel === undefined ? workspace : `${workspace ?? 'all workspaces'}/${channel}`;
  const names = [place, route, event].filter((name) => name !== undefined);
  return names.length === 0 ? 'all workspaces' : names.map(show).join(' ');
}

interface RateProps {
  readonly name: string;
  readonly values: readonly number[];
  readonly columns: number;
}

function Rate({ name, values, columns }: RateProps): ReactElement {
  const now = values.at(-1) ?? 0;
  const shown = values.slice(-Math.max(0, columns - RATE_LABEL));
  return (
    <Text wrap="truncate">
      {name.padEnd(8)}
      <Text bold>{rate(now).padStart(8)}</Text>
      <Text dimColor> a second </Text>
      {sparkline(shown)}
    </Text>
  );
}

function Latency({ latency }: { readonly latency: Percentiles | null }): ReactElement {
  if (latency === null) return <Text dimColor>{'latency'.padEnd(16)} nothing accepted in the last minute</Text>;
  const { p50_ms, p95_ms, p99_ms } = latency;
  return (
    <Text wrap="truncate">
      latency <Text dimColor>p50</Text> {shortDuration(p50_ms)} <Text dimColor>p95</Text> {shortDuration(p95_ms)}{' '}
      <Text dimColor>p99</Text> {shortDuration(p99_ms)} <Text dimColor>from 202 to acceptance, last minute</Text>
    </Text>
  );
}

/** Column widths: connections, waiting, oldest, retries, errors. Under 80 with the names. */
const NAME = 17;
const STATE = 7;
const COLUMNS = [12, 9, 9, 9, 12] as const;

function RouteHeading(): ReactElement {
  const names = ['connections', 'waiting', 'oldest', 'retries', 'errors/min'];
  return (
    <Text dimColor wrap="truncate">
      {'route'.padEnd(NAME)}
      {'state'.padEnd(STATE)}
      {names.map((name, column) => name.padStart(COLUMNS[column] ?? 0))}
    </Text>
  );
}

function RouteLine({ pulse, errors }: { readonly pulse: RoutePulse; readonly errors: number }): ReactElement {
  const { route, pause, connections, waiting, deferred, oldest_ms } = pulse;
  const isLate = oldest_ms !== null && oldest_ms > LATE_MS;
  return (
    <>
      <Text wrap="truncate">
        {route.padEnd(NAME)}
        <Text color={pause === null ? 'green' : 'red'}>{(pause === null ? 'open' : 'paused').padEnd(STATE)}</Text>
        {count(connections).padStart(COLUMNS[0])}
        {count(waiting).padStart(COLUMNS[1])}
        <Text {...(isLate && { color: 'magenta' })}>
          {(oldest_ms === null ? '-' : shortDuration(oldest_ms)).padStart(COLUMNS[2])}
        </Text>
        {count(deferred).padStart(COLUMNS[3])}
        <Text {...(errors > 0 && { color: 'red' })}>{count(errors).padStart(COLUMNS[4])}</Text>
      </Text>
      {pause !== null && (
        <Text color="red" wrap="truncate">{`  for ${shortDuration(pause.for_ms)}: ${show(pause.reason)}`}</Text>
      )}
    </>
  );
}

/** Yellow, cyan and white are hard to read on light terminals, blue on dark ones. */
const MARKS = {
  accepted: { mark: '✓', color: 'green' },
  unregistered: { mark: '−', color: 'magenta' },
  rejected: { mark: '✗', color: 'red' },
  deferred: { mark: '↻', color: 'magenta' },
  recalled: { mark: '↩', color: 'magenta' },
  held: { mark: '‖', color: 'magenta' },
  unavailable: { mark: '‖', color: 'red' },
  unauthorized: { mark: '‖', color: 'red' },
} as const;

/** Renders an outcome. Narrow windows cut the id, not the result. */
function Outcome({ line }: { readonly line: OutcomeLine }): ReactElement {
  const { at, workspace, channel, event, route, outcome, reason, count, afterMs } = line;
  const { mark, color } = MARKS[outcome];
  return (
    <Text wrap="truncate">
      <Text dimColor>{at.slice(11, 19)}</Text> <Text color={color}>{mark}</Text> {`${show(workspace)}/${show(channel)}`}{' '}
      {route.padEnd(15)} {count > 1 ? `×${count} ` : ''}
      {reason === null ? <Text dimColor>{shortDuration(afterMs)}</Text> : <Text color={color}>{show(reason)}</Text>}{' '}
      <Text dimColor>{event}</Text>
    </Text>
  );
}

function Keys({ isPaused, isTyping, filter }: TailViewProps): ReactElement {
  if (isTyping) {
    return (
      <Text>
        filter: {plain(filter)}
        <Text inverse> </Text> <Text dimColor>Enter keeps it, Esc clears it</Text>
      </Text>
    );
  }
  return (
    <Text dimColor wrap="truncate">
      p {isPaused ? 'goes on' : 'pauses'} · f filters{filter === '' ? '' : ' (Esc clears)'} · q quits
    </Text>
  );
}

function rate(perSecond: number): string {
  return perSecond >= 10 || perSecond === 0 ? count(Math.round(perSecond)) : perSecond.toFixed(1);
}

function count(value: number): string {
  return value.toLocaleString('en');
}
