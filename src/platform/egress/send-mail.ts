// Mail to people, by the server the operator has set; where there is none, the mail is written to the log instead.
import type { Log } from '../log.ts';

export type Mail = {
  to: string;
  subject: string;
  text: string;
  /** The same however often it is sent, so that a mail sent twice can be told from two. */
  id: string;
};
export type SendMail = (mail: Mail) => Promise<void>;
export type MailOptions = { smtpUrl: string | undefined; from: string; log: Log; deadlineMs?: number };

const defaultDeadlineMs = 30_000;

/** Resolves when the server has taken the mail. Errors say nothing of address or credentials. */
export function createSendMail({
  smtpUrl,
  from,
  log,
  deadlineMs = defaultDeadlineMs,
}: MailOptions): SendMail {
  if (!smtpUrl) {
    return async ({ to, subject, text }) => {
      log.info({ mail: { to, subject, text } }, 'a mail that is not sent, because SMTP_URL is not set');
    };
  }
  const idHost = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';
  return async ({ to, subject, text, id }) => {
    // Only now: forty files that would make every start longer.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      url: smtpUrl,
      connectionTimeout: deadlineMs,
      greetingTimeout: deadlineMs,
      socketTimeout: deadlineMs,
      dnsTimeout: deadlineMs,
    });
    const late = setTimeout(() => transport.close(), deadlineMs);
    try {
      await transport.sendMail({
        from,
        to,
        subject,
        text,
        messageId: `<${id}@${idHost}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    } catch (error) {
      const { code = 'unknown', responseCode } = error as { code?: string; responseCode?: number };
      throw new Error(`The mail server did not take the mail (${responseCode ?? code})`);
    } finally {
      clearTimeout(late);
      transport.close();
    }
  };
}
