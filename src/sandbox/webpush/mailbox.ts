/** A browser's push. `id`: the service's; `frame`: bytes on the connection. */
interface QueuedMessage<M> {
  readonly id: string;
  /** A newer message with the same subscription and topic replaces it. */
  readonly subscription: string;
  readonly topic: string | null;
  /** Kept until then for absent browsers; now or earlier: not at all. */
  readonly keepUntilMs: number;
  readonly frame: M;
}

type Send<M> = (message: M, id: string) => void;

/** A browser's messages: sent at once while connected, else kept (RFC 8030 5). */
export class Mailbox<M> {
  readonly #wallMs: () => number;
  readonly #kept = new Map<string, QueuedMessage<M>>();
  #send: Send<M> | null = null;

  constructor(wallMs: () => number) {
    this.#wallMs = wallMs;
  }

  put(queued: QueuedMessage<M>): void {
    for (const older of this.#kept.values()) {
      if (this.#hasEnded(older) || isReplacement(queued, older)) this.#kept.delete(older.id);
    }
    this.#kept.set(queued.id, queued);
    this.#send?.(queued.frame, queued.id);
  }

  /** Sends everything unconfirmed on the browser's new connection. */
  connect(send: Send<M>): void {
    this.#send = send;
    for (const queued of [...this.#kept.values()]) {
      if (this.#hasEnded(queued)) this.#kept.delete(queued.id);
      else send(queued.frame, queued.id);
    }
  }

  /** Does nothing if another connection has replaced this. */
  disconnect(gone: Send<M>): void {
    if (this.#send === gone) this.#send = null;
  }

  /** The browser has it. */
  confirm(id: string): void {
    this.#kept.delete(id);
  }

  #hasEnded({ keepUntilMs }: QueuedMessage<M>): boolean {
    return keepUntilMs <= this.#wallMs();
  }
}

function isReplacement<M>(newer: QueuedMessage<M>, older: QueuedMessage<M>): boolean {
  return newer.topic !== null && newer.topic === older.topic && newer.subscription === older.subscription;
}
