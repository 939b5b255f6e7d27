import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { AlertHistory, AlertPart, OwnDevices } from '../alerts/alert-part.tsx';
import { isLive } from '../alerts/standing.ts';
import type { Schema } from '../api/client.ts';
import { type Event, loadEvent, markRead, markUnread } from '../api/events.ts';
import { useChange } from '../api/use-change.ts';
import { useLoad } from '../api/use-load.ts';
import { Button } from '../components/button.tsx';
import { EventHead, onCallWords, whyQuiet } from '../components/event-head.tsx';
import { Fact, KeyFact } from '../components/fact.tsx';
import { BackLink, Onward } from '../components/links.tsx';
import { Skeleton } from '../components/loading.tsx';
import { Page, type PageProps } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { happenedAt, msOf, times } from '../format/time.ts';
import { inboxAddress, wantPlace } from '../list-place.ts';
import { KEPT_LINKS, type KeptLinks as Kept, linkKey } from '../messages.ts';
import { usePerson } from '../session.ts';
import { useKeys } from '../shell/keys.ts';
import { common } from '../texts/common.ts';
import { quiet, event as texts } from '../texts/inbox.ts';

/** `isWide`: beside the list. */
interface Props extends PageProps {
  /** Whether it takes the focus when shown. */
  readonly takesFocus?: boolean;
}

/** Shows an event's full text: the target of notifications. */
export default function EventPage({ event: publicId = '', isWide = false, takesFocus = true }: Props) {
  const { data, problem, reload, patch } = useLoad(publicId, () => loadEvent(publicId), ['alerts', 'inbox']);
  const { event = null, alert = null } = data ?? {};
  const links = useKeptLinks(publicId);
  const shownId = event?.public_id;
  // Showing an event marks it as read on all devices.
  useEffect(() => {
    if (shownId !== undefined) void markRead([shownId]);
  }, [shownId]);
  const toInbox = useWayBack(isWide);
  // On open alerts, this key resolves.
  useKeys(isLive(alert) ? {} : { e: toInbox });
  const isMissing = problem?.kind === 'missing';
  return (
    <Page title={event?.title ?? (isMissing ? texts.missing : texts.title)} takesFocus={takesFocus}>
      {isMissing && <p>{texts.missingText}</p>}
      {problem !== null && !isMissing && event === null && <ProblemNote problem={problem} retry={reload} />}
      {event === null && problem === null && <Skeleton label={texts.title} rows={2} />}
      {event !== null && alert !== null && (
        <AlertPart
          alert={alert}
          event={event.public_id}
          // An ended alert stays ended unless it is reopened: this may be the late answer to an earlier change.
          onChange={(changed) =>
            patch((before) =>
              isLive(before.alert) || before.alert?.reopened_at !== changed.reopened_at
                ? { ...before, alert: changed }
                : before,
            )
          }
          onProblem={reload}
        />
      )}
      {/* Late links must not move the alert's buttons. */}
      {event !== null && <KeptLinks links={links} />}
      {event !== null && <Details event={event} onCall={data?.on_call ?? null} />}
      {alert !== null && <AlertHistory alert={alert} notified={data?.notified ?? []} />}
      {alert !== null && <OwnDevices devices={data?.own_devices ?? []} />}
      {event !== null && <KeepUnread event={event} toInbox={toInbox} />}
      {/* Waits, so that loading content does not move it. */}
      {!isWide && (event ?? problem) !== null && <BackLink />}
    </Page>
  );
}

/** Returns a function leading back to the inbox as left, or closing the event beside it. */
function useWayBack(isWide: boolean): () => void {
  const { route } = useLocation();
  return () => {
    if (!isWide) wantPlace();
    route(inboxAddress());
  };
}

/** Marks the event as unread, and leads back. */
function KeepUnread({ event, toInbox }: { readonly event: Event; readonly toInbox: () => void }) {
  const { isWorking, problem, make } = useChange();
  const keep = async (): Promise<void> => {
    if ((await make(() => markUnread([event.public_id]))) !== null) toInbox();
  };
  useKeys({ u: () => void keep() });
  return (
    <>
      <ProblemNote problem={problem} />
      <p>
        <Button text={texts.markUnread} isWorking={isWorking} onClick={keep} />
      </p>
    </>
  );
}

function Details({ event, onCall }: { readonly event: Event; readonly onCall: Schema<'EventOnCall'> | null }) {
  const happened = happenedAt(event);
  const own = usePerson()?.workspaces.find(({ slug }) => slug === event.workspace);
  const runs = own !== undefined && own.role !== 'member';
  return (
    <article class="paper">
      <EventHead event={event} />
      <dl class="facts">
        {happened !== null && <Fact name={texts.happened}>{times.exact(msOf(happened))}</Fact>}
        <Fact name={texts.received}>{times.exact(msOf(event.received_at))}</Fact>
        <Fact name={texts.channel}>{event.channel_name ?? event.channel ?? common.channelGone}</Fact>
        <Fact name={texts.workspace}>{own?.name ?? event.workspace}</Fact>
        {event.quiet !== null && <Fact name={texts.quiet}>{whyQuiet(event.quiet)}</Fact>}
        {event.quiet === null && onCall !== null && <Fact name={quiet.onCall}>{onCallWords(onCall)}</Fact>}
        <KeyFact name={texts.type} value={event.event_type} />
        <KeyFact name={texts.replaces} value={event.collapse_key} />
        <KeyFact name={texts.id} value={event.public_id} />
      </dl>
      {runs && <Onward href={`/w/${event.workspace}/events/${event.public_id}`}>{texts.timeline}</Onward>}
    </article>
  );
}

/** Shows an event's links if this device got its push: servers store none. */
interface Links {
  readonly url: URL | null;
  readonly image: URL | null;
}

/** Returns null during the lookup. */
function useKeptLinks(publicId: string): Links | null {
  const [links, setLinks] = useState<Links | null>(null);
  useEffect(() => {
    let isWanted = true;
    void keptLinks(publicId).then((kept) => {
      if (isWanted) setLinks(kept);
    });
    return () => {
      isWanted = false;
      setLinks(null);
    };
  }, [publicId]);
  return links;
}

function hasNone({ url, image }: Links): boolean {
  return url === null && image === null;
}

function KeptLinks({ links }: { readonly links: Links | null }) {
  if (links === null || hasNone(links)) return null;
  return (
    <div class="actions kept-link">
      {links.url && <LinkButton to={links.url}>{texts.openLink(links.url.host)}</LinkButton>}
      {links.image && <LinkButton to={links.image}>{texts.openImage(links.image.host)}</LinkButton>}
    </div>
  );
}

function LinkButton({ to, children }: { readonly to: URL; readonly children: string }) {
  return (
    <a class="button" href={to.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** Returns none without caches, as on unencrypted addresses. */
async function keptLinks(publicId: string): Promise<Links> {
  try {
    const response = await caches.match(linkKey(publicId), { cacheName: KEPT_LINKS, ignoreSearch: true });
    const { url, image } = ((await response?.json()) ?? {}) as Kept;
    return { url: linkOf(url, ['http:', 'https:']), image: linkOf(image, ['https:']) };
  } catch {
    return { url: null, image: null };
  }
}

function linkOf(text: string | undefined, protocols: readonly string[]): URL | null {
  const link = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  return link !== null && protocols.includes(link.protocol) ? link : null;
}
