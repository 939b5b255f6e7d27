import {
  type Actor,
  CALL_NAMES,
  type CallName,
  type CallRequest,
  type Reader,
  type StoreClient,
  type Transport,
} from './calls.ts';
import { restOf, unpack } from './reply.ts';

/** Replaced calls. */
type Calls = { readonly [N in CallName]?: StoreClient[N] };

/** Returns the store's calls as methods. `actorOf`: for calls without actor. */
export function clientOver(line: Transport, actorOf?: () => Actor): StoreClient {
  const transport = actorOf === undefined ? line : withActor(line, actorOf);
  const calls = CALL_NAMES.map((name) => [
    name,
    (args: unknown, actor?: Actor, reader?: Reader) =>
      carryOut(transport, { name, args, ...(actor && { actor }) }, reader),
  ]);
  return {
    ...Object.fromEntries(calls),
    transport,
    as: (actor: Actor) => new Acting(transport, actor),
    close: () => transport.close(),
  } as StoreClient;
}

export function withCalls<S extends StoreClient>(store: S, calls: Calls): S {
  const transport: Transport = {
    async ask(call, reader) {
      const carryOutOtherwise = calls[call.name] as StoreClient[CallName] | undefined;
      if (carryOutOtherwise === undefined) return store.transport.ask(call, reader);
      return { kind: 'answer', answer: await carryOutOtherwise(call.args as never, call.actor, reader) };
    },
    close: () => store.close(),
  };
  return { ...store, ...clientOver(transport) };
}

function withActor(transport: Transport, actorOf: () => Actor): Transport {
  return {
    ask: (call, reader) => transport.ask({ ...call, actor: call.actor ?? actorOf() }, reader),
    close: () => transport.close(),
  };
}

/** Made per request, so methods are made once for all. */
class Acting {
  readonly transport: Transport;
  readonly actor: Actor;

  constructor(transport: Transport, actor: Actor) {
    this.transport = transport;
    this.actor = actor;
  }

  static {
    for (const name of CALL_NAMES) {
      Object.defineProperty(Acting.prototype, name, {
        value(this: Acting, args: unknown) {
          return carryOut(this.transport, { name, args, actor: this.actor });
        },
      });
    }
  }
}

/** Makes a call and the calls that continue it. Returns its answer. */
export async function carryOut(
  transport: Pick<Transport, 'ask'>,
  call: CallRequest,
  reader?: Reader,
): Promise<unknown> {
  let answer = unpack(await transport.ask(call, reader));
  for (let next = restOf(call, answer); next !== null; ) {
    const reply = await transport.ask(next);
    const part = unpack(reply.kind === 'unavailable' ? { ...reply, mayBeDone: true } : reply);
    if (next.name === call.name) answer = part;
    next = restOf(next, part);
  }
  return answer;
}
