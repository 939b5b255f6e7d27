import { useRef, useState } from 'preact/hooks';
import type { Kind } from '../api/changes.ts';
import { type Channel, type ChannelLists, findChannels, findMoreChannels } from '../api/channels.ts';
import { withMore, withRest } from '../api/merged-lists.ts';
import type { Problem } from '../api/problem.ts';
import { useChange } from '../api/use-change.ts';
import { useLast, useLoad } from '../api/use-load.ts';
import { whole } from '../format/numbers.ts';
import { channelSearch as texts } from '../texts/common.ts';
import { Button } from './button.tsx';
import { usePause } from './filters.tsx';
import { ProblemNote } from './problem-note.tsx';

/** Channels to choose from, searched and paged, since a workspace may have thousands. */
export interface ChannelSearch {
  /** Null: first load. Earlier results stay until new ones are there. */
  readonly data: ChannelLists | null;
  readonly problem: Problem | null;
  readonly q: string;
  /** Whether a search is useful. */
  readonly isMany: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  search(q: string): void;
  more(): Promise<void>;
  reload(): Promise<void>;
  patch(change: (data: ChannelLists) => ChannelLists): void;
  /** Returns a loaded channel's name; else its slug. */
  nameOf(slug: string): string;
}

interface Options {
  readonly kinds?: readonly Kind[];
  /** A channel whose name is needed, on any page. */
  readonly chosen?: string | undefined;
}

const MANY = 8;

export function useChannelSearch(workspaces: readonly string[], { kinds, chosen }: Options = {}): ChannelSearch {
  const [q, setQ] = useState('');
  const loadingMore = useChange();
  const pause = usePause();
  const known = useRef({ isMany: false, names: new Map<string, string>(), missing: new Set<string>() }).current;
  /** The channels of the current search. */
  const shown = useRef<ChannelLists | null>(null);
  const asking = useRef(q);
  const remember = (lists: ChannelLists): void => {
    for (const { slug, name } of lists.flatMap(({ channels }) => channels)) known.names.set(slug, name);
  };
  const load = async () => {
    const answer = await findChannels(workspaces, q, shown.current ?? []);
    if (answer.ok) remember(answer.data);
    const wanted = `${workspaces} ${chosen}`;
    if (chosen && !known.names.has(chosen) && !known.missing.has(wanted)) {
      const named = await findChannels(workspaces, chosen, []);
      if (named.ok) remember(named.data);
      if (named.ok && !known.names.has(chosen)) known.missing.add(wanted);
    }
    return answer.ok ? { ...answer, data: (shown: ChannelLists | null) => withRest(answer.data, shown) } : answer;
  };
  const loaded = useLoad<ChannelLists>(`${workspaces} ${q}`, load, kinds);
  shown.current = loaded.data;
  asking.current = q;
  const data = useLast(loaded);
  const hasMore = data?.some(({ next }) => next !== null) ?? false;
  known.isMany ||= hasMore || (data ?? []).flatMap(({ channels }) => channels).length >= MANY;
  return {
    data,
    problem: loaded.problem ?? loadingMore.problem,
    q,
    isMany: known.isMany,
    hasMore,
    isLoadingMore: loadingMore.isWorking,
    search(text) {
      pause(() => setQ(text.trim()));
    },
    async more() {
      const before = shown.current;
      if (before === null) return;
      const found = await loadingMore.make(() => findMoreChannels(before, q));
      // The search may have changed meanwhile.
      if (found === null || asking.current !== q) return;
      remember(found.data);
      loaded.patch((now) => withMore(now, before, found.data));
    },
    reload: loaded.reload,
    patch: loaded.patch,
    nameOf: (slug) => known.names.get(slug) ?? slug,
  };
}

interface FieldProps {
  readonly of: ChannelSearch;
}

/** The channel search field, separate from the form around it. */
export function ChannelSearchField({ of }: FieldProps) {
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
export function ChannelsGoOn({ of }: FieldProps) {
  const { data, q, hasMore, isLoadingMore, problem, more } = of;
  const count = data?.reduce((sum, { channels }) => sum + channels.length, 0) ?? 0;
  return (
    <>
      {problem?.kind === 'refused' && <ProblemNote problem={problem} retry={of.reload} />}
      <p class="hint channels-go-on" role="status">
        {count === 0 && q !== '' && texts.none}
        {hasMore && `${texts.first(whole(count))} `}
        {hasMore && <Button text={texts.more} isWorking={isLoadingMore} onClick={more} />}
      </p>
    </>
  );
}

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
