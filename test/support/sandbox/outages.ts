import type { Asked, SandboxAnswer } from '../../../src/sandbox/answers.ts';
import { type Listener, type OpenListener, openListener } from '../../../src/sandbox/listener.ts';
import type { EndpointName } from '../../../src/sandbox/names.ts';
import { type HeldPort, holdPort } from '../free-port.ts';

/**
 * How a listener treats connections. `refused`: none listens, and the open connections are cut. `black_hole`: TCP
 * connects, and then nothing, not even a TLS handshake, ever comes back.
 */
export type Outage = 'none' | 'refused' | 'black_hole';

interface Breakable {
  outage: Outage;
  listener: Listener;
  /** The port of one that is refused. */
  held: HeldPort | null;
  repair(): Promise<Listener>;
}

/** Breaks the sandbox's listeners as a whole, and repairs them. Their ports stay. */
export class Outages {
  readonly #listeners = new Map<EndpointName, Breakable>();

  readonly open: OpenListener = async (serve, wantedPort, endpoint) => {
    const take: typeof serve = (socket) => {
      if (breakable.outage === 'black_hole') socket.resume();
      else serve(socket);
    };
    const first = await openListener(take, wantedPort, endpoint);
    const repair = () => openListener(take, first.port, endpoint);
    const breakable: Breakable = { outage: 'none', listener: first, held: null, repair };
    this.#listeners.set(endpoint, breakable);
    return {
      port: first.port,
      socketFrom: (remotePort) => breakable.listener.socketFrom(remotePort),
      close: () => breakable.listener.close(),
    };
  };

  async set(endpoint: EndpointName, outage: Outage): Promise<void> {
    const breakable = this.#listeners.get(endpoint);
    if (breakable === undefined) throw new Error(`nothing listens for ${endpoint}`);
    breakable.outage = outage;
    if (outage === 'refused') {
      await breakable.listener.close();
      breakable.held ??= await holdPort(breakable.listener.port);
    } else if (breakable.held !== null) {
      breakable.listener = await breakable.repair();
      breakable.held.release();
      breakable.held = null;
    }
  }

  /** Requests over earlier connections get no answer either. */
  answerTo({ endpoint }: Asked): SandboxAnswer | null {
    return this.#listeners.get(endpoint)?.outage === 'black_hole' ? { kind: 'silent' } : null;
  }
}
