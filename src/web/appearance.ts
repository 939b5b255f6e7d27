import { Shared } from './shared.ts';

/** The colour schemes; `system` follows the operating system. */
export const SCHEMES = ['system', 'light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];

const KEPT_AS = 'scheme';

export const scheme = new Shared<Scheme>(kept());

apply();
scheme.listen(apply);

function apply(): void {
  document.documentElement.dataset.scheme = scheme.value;
  localStorage.setItem(KEPT_AS, scheme.value);
}

function kept(): Scheme {
  const text = localStorage.getItem(KEPT_AS);
  return SCHEMES.find((scheme) => scheme === text) ?? 'system';
}
