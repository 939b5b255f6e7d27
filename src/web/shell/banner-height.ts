import { Shared } from '../shared.ts';

/** All banners' height, in px. A change moves the page below. */
export const bannerHeight = new Shared(0);

/** Tracks `bannerHeight` before taps can hit moved things. Returns a function that stops. */
export function watchBanners(banners: Element): () => void {
  const read = (): void => {
    bannerHeight.value = banners.clientHeight;
  };
  const observer = new MutationObserver(read);
  observer.observe(banners, { childList: true, characterData: true, subtree: true });
  read();
  return () => observer.disconnect();
}
