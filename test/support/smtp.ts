import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { type RunningSmtp, type StartSmtp, startSmtp } from '../../src/http/senders/smtp/listener.ts';
import type { ApiOptions } from './http.ts';
import { type SenderScene, withSender } from './senders.ts';

/** A workspace whose senders mail. */
export interface MailScene extends SenderScene {
  readonly smtp: RunningSmtp;
  /** Sends by nodemailer. Answers what the server said last, also where it refused. */
  readonly send: (mail: SendMailOptions, options?: SendOptions) => Promise<string>;
  /** A connection after its greeting. */
  readonly open: (localAddress?: string) => Promise<SmtpTalk>;
}

interface SendOptions {
  /** Null: none is shown. */
  readonly password?: string | null;
  readonly ca?: string;
  /** To this port by implicit TLS. */
  readonly tlsPort?: number;
}

/** No pause of a busy machine ends it. */
const PATIENTLY = { deadlineMs: 60_000 };

type SmtpOptions = ApiOptions & Pick<StartSmtp, 'times' | 'parsing' | 'isOwn'>;

export async function withMail(options: SmtpOptions, use: (scene: MailScene) => Promise<void>): Promise<void> {
  const { times, parsing = PATIENTLY, isOwn, ...apiOptions } = options;
  await withSender(apiOptions, async (scene) => {
    const { api, key } = scene;
    const smtp = await startSmtp({
      service: api.mail,
      listen: { host: '127.0.0.1', port: 0 },
      listenTls: api.http.tlsPair() && { host: '127.0.0.1', port: 0 },
      pair: api.http.tlsPair(),
      ...(times && { times }),
      parsing,
      ...(isOwn && { isOwn }),
    });
    const open = async (localAddress = '127.0.0.1') => {
      const talk = new SmtpTalk(connect({ host: '127.0.0.1', port: smtp.at?.port ?? 0, localAddress }));
      await talk.reply();
      return talk;
    };
    try {
      await use({ ...scene, smtp, send: (mail, given) => sendTo(smtp.at?.port ?? 0, key(), mail, given), open });
    } finally {
      await smtp.close(100);
    }
  });
}

async function sendTo(port: number, key: string, mail: SendMailOptions, options: SendOptions = {}): Promise<string> {
  const { password = key, ca, tlsPort } = options;
  const transport = createTransport({
    host: '127.0.0.1',
    port: tlsPort ?? port,
    ...(tlsPort !== undefined && { secure: true }),
    ...(ca === undefined ? { ignoreTLS: true } : { requireTLS: true, tls: { ca } }),
    ...(password !== null && { auth: { user: 'printer', pass: password } }),
  });
  try {
    const { response } = await transport.sendMail({ from: 'nas@example.com', to: 'alerts@push.example.com', ...mail });
    return response;
  } catch (error) {
    return (error as { response?: string }).response ?? String(error);
  } finally {
    transport.close();
  }
}

/** An SMTP client that says what a test wants. */
export class SmtpTalk {
  readonly socket: Socket;
  #text = '';

  constructor(socket: Socket) {
    this.socket = socket.setEncoding('utf8').on('error', () => undefined);
    socket.on('data', (text) => {
      this.#text += text;
    });
  }

  /** Says a line, or nothing, and answers the reply; an empty text where the connection ends. */
  async reply(line?: string): Promise<string> {
    if (line !== undefined) this.socket.write(`${line}\r\n`);
    for (;;) {
      const [reply] = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\n/.exec(this.#text) ?? [];
      if (reply !== undefined) {
        this.#text = this.#text.slice(reply.length);
        return reply.trim();
      }
      if (this.socket.closed) return '';
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]);
    }
  }

  /** Says these lines one after the other. Answers the last reply. */
  async say(...lines: readonly string[]): Promise<string> {
    let last = '';
    for (const line of lines) last = await this.reply(line);
    return last;
  }
}
