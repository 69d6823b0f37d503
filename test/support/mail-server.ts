// A real mail server on loopback that keeps what it was given.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export type ReceivedMail = { from: string; to: string[]; headers: Record<string, string>; text: string };
export type MailServer = { url: string; port: number; mails: ReceivedMail[] } & AsyncDisposable;

/** With a user, only who logs in as them may send. */
export async function startMailServer({
  port = 0,
  user,
}: { port?: number; user?: { name: string; password: string } } = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: !user,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      if (user && username === user.name && password === user.password) done(null, { user: username });
      else done(new Error('Wrong user or password'));
    },
    onData(stream, { envelope }, done) {
      text(stream).then((raw) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), ...parse(raw) });
        done();
      }, done);
    },
  });
  server.on('error', () => undefined);
  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  const { port: taken } = listening.address() as AddressInfo;
  const login = user ? `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@` : '';
  return {
    url: `smtp://${login}127.0.0.1:${taken}`,
    port: taken,
    mails,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Enough for mails as we write them: plain text, lines perhaps in quoted-printable. */
function parse(raw: string): { headers: Record<string, string>; text: string } {
  const [head = '', ...body] = raw.split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n\s+/g, ' ').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const encoded = body.join('\r\n\r\n');
  const isQuoted = headers['content-transfer-encoding'] === 'quoted-printable';
  const decoded = encoded
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return { headers, text: isQuoted ? decoded : encoded };
}
