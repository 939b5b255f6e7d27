import { Shared } from '../shared.ts';

/** The height of all banners above the page, in px. A change means that the page below has moved. */
export const bannerHeight = new Shared(0);

/** Keeps `bannerHeight` up to date, before a tap can hit something that has moved. Returns a function that stops. */
export function watchBanners(banners: Element): () => void {
  const read = (): void => {
    bannerHeight.value = banners.clientHeight;
  };
  const observer = new MutationObserver(read);
  observer.observe(banners, { childList: true, characterData: true, subtree: true });
  read();
  return () => observer.disconnect();
}
