/** A push on its way to a browser. `id` is the service's own; `frame`: what goes over its connection. */
export interface QueuedMessage<M> {
  readonly id: string;
  /** A newer one of the same subscription with the same topic takes its place. */
  readonly subscription: string;
  readonly topic: string | null;
  /** Until then it is kept for a browser that is away; now or earlier: not at all. */
  readonly keepUntilMs: number;
  readonly frame: M;
}

type Send<M> = (message: M, id: string) => void;

/** What a push service has for one browser: sent at once while that is connected, else kept (RFC 8030 5). */
export interface Mailbox<M> {
  put(queued: QueuedMessage<M>): void;
  /** The browser is there, on a new connection: it gets all that it has not confirmed. */
  connect(send: Send<M>): void;
  /** Nothing happens if another connection has taken this one's place. */
  disconnect(send: Send<M>): void;
  /** The browser has it. */
  confirm(id: string): void;
}

export function openMailbox<M>(wallMs: () => number): Mailbox<M> {
  const kept = new Map<string, QueuedMessage<M>>();
  let send: Send<M> | null = null;

  return {
    put(queued) {
      for (const older of kept.values()) if (hasEnded(older) || takesPlaceOf(queued, older)) kept.delete(older.id);
      kept.set(queued.id, queued);
      send?.(queued.frame, queued.id);
    },
    connect(next) {
      send = next;
      for (const queued of [...kept.values()]) {
        if (hasEnded(queued)) kept.delete(queued.id);
        else next(queued.frame, queued.id);
      }
    },
    disconnect(gone) {
      if (send === gone) send = null;
    },
    confirm: (id) => void kept.delete(id),
  };

  function hasEnded({ keepUntilMs }: QueuedMessage<M>): boolean {
    return keepUntilMs <= wallMs();
  }
}

function takesPlaceOf<M>(newer: QueuedMessage<M>, older: QueuedMessage<M>): boolean {
  return newer.topic !== null && newer.topic === older.topic && newer.subscription === older.subscription;
}
