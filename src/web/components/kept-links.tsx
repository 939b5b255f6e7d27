import { useEffect, useState } from 'preact/hooks';
import { KEPT_LINKS, type KeptLinks as Kept, linkKey } from '../messages.ts';
import { event as texts } from '../texts/inbox.ts';

/** Shows an event's links if this device got its push: servers store none. */
interface Links {
  readonly url: URL | null;
  readonly image: URL | null;
}

/** Returns null during the lookup. */
export function useKeptLinks(publicId: string): Links | null {
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

export function KeptLinks({ links }: { readonly links: Links | null }) {
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
