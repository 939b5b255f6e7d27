/** A page that a walk ended at. */
export interface Page {
  /** The address that the browser shows. */
  readonly address: string;
  readonly status: number;
  readonly text: string;
}

export interface Step {
  readonly method?: string;
  readonly body?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A browser without a screen: follows redirects, and keeps the cookies of each host. `hosts`: where an origin is really
 * to be found. It stops at an address with a fragment, as that is for the app.
 */
export class WebWalker {
  readonly #hosts: ReadonlyMap<string, string>;
  readonly cookies = new Map<string, Map<string, string>>();
  /** Changes the target of a request, as an attacker on the way could. */
  detour: (address: URL) => URL = (address) => address;

  constructor(hosts: ReadonlyMap<string, string>) {
    this.#hosts = hosts;
  }

  async go(address: string, step: Step = {}): Promise<Page> {
    let at = new URL(address);
    let taking = step;
    for (let hops = 0; hops < 20; hops += 1) {
      const response = await this.#ask(at, taking);
      const location = response.headers.get('location');
      if (location === null) return { address: at.href, status: response.status, text: await response.text() };
      await response.body?.cancel();
      at = this.detour(new URL(location, at));
      taking = {};
      if (at.hash !== '') return { address: at.href, status: response.status, text: '' };
    }
    throw new Error(`redirected for ever: ${at.href}`);
  }

  async #ask(at: URL, { method = 'GET', body, headers }: Step): Promise<Response> {
    const jar = this.cookies.get(at.origin) ?? new Map<string, string>();
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${this.#hosts.get(at.origin) ?? at.origin}${at.pathname}${at.search}`, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(cookie !== '' && { cookie }) },
      ...(body && { body }),
    });
    for (const given of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(given) ?? [];
      if (/max-age=0/i.test(given) || value === '') jar.delete(name);
      else jar.set(name, value);
    }
    this.cookies.set(at.origin, jar);
    return response;
  }
}
