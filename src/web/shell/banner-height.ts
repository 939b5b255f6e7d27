import { Shared } from '../shared.ts';

/** How high all banners above the page are together, in px. If this changes, the page below has moved. */
export const bannerHeight = new Shared(0);

/** Keeps `bannerHeight` up to date, before a tap can hit what has moved. Returns how to stop. */
export function watchBanners(banners: Element): () => void {
  const read = (): void => {
    bannerHeight.value = banners.clientHeight;
  };
  const observer = new MutationObserver(read);
  observer.observe(banners, { childList: true, characterData: true, subtree: true });
  read();
  return () => observer.disconnect();
}
