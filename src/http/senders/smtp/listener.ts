import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { baseUrlOf, type Config } from '../../../config/config.ts';
import { isLoopback } from '../../../config/units.ts';
import { withoutWords } from '../../../process/problem.ts';
import { inNetworks } from '../../client-address.ts';
import { listenAt } from '../../listeners/listener.ts';
import type { TlsPair } from '../../listeners/tls-pair.ts';
import type { ParsingThreadOptions } from '../parsing-thread.ts';
import { KEPT_BYTES, type MailClient, MailIntake, type MailService } from './intake.ts';
import { Peers } from './peers.ts';
import { receive, SmtpRefusal, tooLarge } from './received.ts';

export interface StartSmtp {
  readonly service: MailService;
  /** Null: no plain port. */
  readonly listen: Config['listen'] | null;
  /** The port for implicit TLS with a pair; null: none. */
  readonly listenTls?: Config['listen'] | null;
  /** null: no encryption. */
  readonly pair: TlsPair | null;
  /** Used by tests only. */
  readonly times?: { readonly strangerMs: number; readonly mailMs: number; readonly idleMs: number };
  readonly parsing?: ParsingThreadOptions;
  readonly isOwn?: (address: string) => boolean;
}

export interface RunningSmtp {
  /** The plain address; null: none. */
  readonly at: AddressInfo | null;
  /** The address for implicit TLS; null: none. */
  readonly atTls: AddressInfo | null;
  useCertificate(pair: TlsPair | null): void;
  /** Stops taking connections, answers received mails, and cuts off the rest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const TIMES = { strangerMs: 30_000, mailMs: 120_000, idleMs: 60_000 };
const MOST_CONNECTIONS = { perNetwork: 32, total: 256 };
/** RFC 5321, section 4.5.3.1.4 has 512; extensions add some hundred. */
const COMMAND_CHARACTERS = 2_048;
const COMMAND_BYTES = 65_536;
/** A mail's limit. Bytes not kept are dropped on arrival. */
const MOST_BYTES = 4 * KEPT_BYTES;
/** Disabled commands of smtp-server: jokes, and proxies naming the client. */
const NEVER = ['WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD', 'VRFY'];

/** Takes mail for events and relays none. Throws OperatorProblem. */
export async function startSmtp(options: StartSmtp): Promise<RunningSmtp> {
  const { service, listen, listenTls = null, pair, times = TIMES, parsing = {}, isOwn = isLoopback } = options;
  const { config, log, proven, clients: addresses } = service;
  const intake = new MailIntake(service, parsing);
  const perNetwork = Math.min(MOST_CONNECTIONS.perNetwork, config.limits.connectionsPerAddress);
  const connections = () => [...smtp.connections, ...smtps.connections];
  const sessionOf = (id: string) => connections().find(({ session }) => session.id === id);
  const peers = new Peers({
    ...{ addresses, proven, log, name: 'mail connections' },
    ...{ total: MOST_CONNECTIONS.total, perNetwork },
    ...times,
    ...{ commandBytes: COMMAND_BYTES, mailBytes: MOST_BYTES },
    hangUp(id, reason) {
      if (reason === null) sessionOf(id)?.close();
      else sessionOf(id)?.send(421, reason);
    },
  });
  const sessions = new Sessions(isOwn, config.senders.smtp.unencryptedFrom);
  const never = pair === null ? [...NEVER, 'STARTTLS'] : NEVER;
  /** Mails being taken, one for each session. */
  const taking = new Map<string, Promise<void>>();

  const settings: SMTPServerOptions = {
    ...(pair && tlsOf(pair)),
    name: new URL(baseUrlOf(config)).hostname,
    logger: false,
    banner: 'pushctl',
    size: MOST_BYTES,
    authOptional: true,
    // Whether a connection is secure enough is decided below, by client.
    allowInsecureAuth: true,
    disabledCommands: never,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    lenientAddressParsing: true,
    maxCommandLength: COMMAND_CHARACTERS,
    socketTimeout: times.idleMs,
    onConnect(session, done) {
      // Invites no client to show keys that others can read.
      if (!sessions.isSafe(session)) session.disabledCommands = [...never, 'AUTH'];
      const isHopeless = pair === null && !sessions.isSafe(session);
      done(isHopeless ? new SmtpRefusal(554, 'Unencrypted mail is accepted from this machine only.') : null);
    },
    onSecure(socket, session, done) {
      peers.count(session.id, socket);
      session.disabledCommands = never;
      sessions.forget(session);
      done();
    },
    onAuth({ password }, session, done) {
      if (!sessions.isSafe(session)) return done(new SmtpRefusal(538, ENCRYPT));
      intake.signIn(sessions.of(session), password ?? '').then(() => {
        peers.proven(session.id);
        done(null, { user: true });
      }, done);
    },
    onMailFrom(_, session, done) {
      if (!sessions.isSafe(session)) return done(new SmtpRefusal(530, ENCRYPT));
      sessions.of(session).targets = [];
      done();
    },
    onRcptTo({ address }, session, done) {
      intake.recipient(sessions.of(session), address).then(() => {
        peers.proven(session.id);
        done();
      }, done);
    },
    onClose: ({ id }) => peers.left(id),
    onData(stream, session, done) {
      const { id } = session;
      peers.receives(id, () => stream.destroy(tooLarge(MOST_BYTES)));
      const taken = intake
        .mail(sessions.of(session), (room) => receive(stream, KEPT_BYTES, room))
        .then(
          (reply) => {
            done(null, reply);
            peers.received(id, true);
          },
          (error: SmtpRefusal) => {
            done(error);
            peers.received(id, false);
          },
        );
      taking.set(id, taken);
      void taken.finally(() => taking.delete(id));
    },
  };
  const smtp = new SMTPServer(settings);
  /** Serves sockets encrypted beforehand. */
  const smtps = new SMTPServer({ ...settings, secure: true, secured: true });
  const onError = (error: Error) => log.debug({ error: withoutWords(error) }, 'mail connection error');
  for (const mailServer of [smtp, smtps]) mailServer.on('error', onError);
  const converse = (by: SMTPServer, socket: Socket, id: string) => {
    by.connect(socket, { id });
    const connection = sessionOf(id);
    if (connection !== undefined) takeBareAddresses(connection);
  };

  const server = createServer((socket: Socket) => {
    const id = randomUUID();
    if (peers.admit(id, socket)) converse(smtp, socket, id);
  });
  let context = pair && createSecureContext(tlsOf(pair));
  /** Connections that have no session yet. */
  const handshaking = new Set<Socket>();
  const encrypted = createServer((socket: Socket) => {
    const id = randomUUID();
    if (context === null || !peers.admit(id, socket, 'encrypted')) {
      socket.destroy();
      return;
    }
    // The session reports the close, but exists only after the handshake.
    handshaking.add(socket);
    socket.once('close', () => {
      handshaking.delete(socket);
      peers.left(id);
    });
    const tlsSocket = new TLSSocket(socket, { isServer: true, secureContext: context });
    tlsSocket.on('error', onError).once('secure', () => {
      handshaking.delete(socket);
      peers.count(id, tlsSocket);
      converse(smtps, tlsSocket, id);
    });
  });
  const endThoseWithout = (mails: ReadonlyMap<string, unknown>) => {
    for (const connection of connections())
      if (!mails.has(connection.session.id)) connection.send(421, 'The server is stopping, try again later');
  };
  const open = [
    ...(listen === null ? [] : [{ server, listen, setting: 'senders.smtp.listen' }]),
    ...(listenTls === null ? [] : [{ server: encrypted, listen: listenTls, setting: 'senders.smtp.listen_tls' }]),
  ];
  try {
    for (const { server: opening, listen: at, setting } of open) await listenAt(opening, at, setting);
  } catch (error) {
    for (const { server: opened } of open) opened.close();
    throw error;
  }
  let closing: Promise<void> | null = null;
  return {
    at: server.address() as AddressInfo | null,
    atTls: encrypted.address() as AddressInfo | null,
    useCertificate(fresh) {
      if (fresh === null) return;
      for (const mailServer of [smtp, smtps]) mailServer.updateSecureContext(tlsOf(fresh));
      context = createSecureContext(tlsOf(fresh));
    },
    close(graceMs) {
      closing ??= close(graceMs);
      return closing;
    },
  };

  async function close(graceMs: number): Promise<void> {
    const closed = Promise.all(open.map(({ server: listener }) => once(listener, 'close')));
    for (const { server: listener } of open) listener.close();
    const cutOff = setTimeout(() => peers.destroyAll(), graceMs);
    endThoseWithout(taking);
    for (const socket of handshaking) socket.destroy();
    await Promise.race([Promise.allSettled(taking.values()), closed]);
    endThoseWithout(new Map());
    await closed;
    clearTimeout(cutOff);
  }
}

const ENCRYPT = 'Encrypt first, by STARTTLS.';

function tlsOf({ options: { cert, key, minVersion, ciphers } }: TlsPair) {
  return { cert, key, ...(minVersion && { minVersion }), ...(ciphers && { ciphers }) };
}

class Sessions {
  readonly #clients = new WeakMap<SMTPServerSession, MailClient>();
  readonly #isOwn: (address: string) => boolean;
  readonly #isListed: (address: string) => boolean;

  constructor(isOwn: (address: string) => boolean, unencryptedFrom: readonly string[]) {
    this.#isOwn = isOwn;
    this.#isListed = inNetworks(unencryptedFrom);
  }

  of(session: SMTPServerSession): MailClient {
    const known = this.#clients.get(session);
    if (known !== undefined) return known;
    const client: MailClient = { address: session.remoteAddress, by: null, targets: [], refusals: 0 };
    this.#clients.set(session, client);
    return client;
  }

  /** Tells whether nobody on the way can read along, or the operator allows it. */
  isSafe({ secure, remoteAddress }: SMTPServerSession): boolean {
    return secure || this.#isOwn(remoteAddress) || this.#isListed(remoteAddress);
  }

  /** Forgets unencrypted input, which anyone may have sent. RFC 3207, section 4.2. */
  forget(session: SMTPServerSession): void {
    this.#clients.delete(session);
  }
}

type Connection = SMTPServer['connections'] extends Set<infer C> ? C : never;

/** `RCPT TO:<alerts>` up to the bracket: non-empty, without a domain. */
const BARE = /^([^<>:]+:[ \t]*<[^<>@\s]+)(?=>)/;

/** A placeholder, never looked at. */
const DOMAIN = '@localhost';

/** Lets a connection take addresses without a domain, which devices write and smtp-server refuses. */
function takeBareAddresses(connection: Pick<Connection, 'handler_MAIL' | 'handler_RCPT'>): void {
  for (const name of ['handler_MAIL', 'handler_RCPT'] as const) {
    const handle = connection[name].bind(connection);
    connection[name] = (command, callback) => handle(withDomain(command), callback);
  }
}

function withDomain(command: Buffer): Buffer {
  // Keeps non-ASCII bytes unchanged.
  return Buffer.from(command.toString('latin1').replace(BARE, `$1${DOMAIN}`), 'latin1');
}
