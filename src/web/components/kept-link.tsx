import { useEffect, useState } from 'preact/hooks';
import { KEPT_LINKS, linkKey } from '../messages.ts';
import '../styles/parts.css';
import { texts } from '../texts/event.ts';

/** The link that came with an event, where this device has had its push: the server does not store it. */
export function KeptLink({ publicId }: { readonly publicId: string }) {
  const [link, setLink] = useState<URL | null>(null);
  useEffect(() => {
    let isWanted = true;
    void keptLink(publicId).then((kept) => {
      if (isWanted) setLink(kept);
    });
    return () => {
      isWanted = false;
      setLink(null);
    };
  }, [publicId]);
  if (link === null) return null;
  return (
    <div class="actions kept-link">
      <a class="button" href={link.href} target="_blank" rel="noopener noreferrer nofollow">
        {texts.openLink(link.host)}
      </a>
    </div>
  );
}

/** null: none is kept, or the browser keeps nothing, as where the address is not encrypted. */
async function keptLink(publicId: string): Promise<URL | null> {
  try {
    const kept = await caches.match(linkKey(publicId), { cacheName: KEPT_LINKS, ignoreSearch: true });
    const link = kept === undefined ? null : new URL(await kept.text());
    return link !== null && ['http:', 'https:'].includes(link.protocol) ? link : null;
  } catch {
    return null;
  }
}
