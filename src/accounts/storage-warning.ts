// An account whose storage is nearly full hears of it once: by mail, and by an event for those who listen. The crossing was
// noticed in the transaction that took the storage (`full-storage.ts`); this is the job it left.
import { recordEvent } from '../events/record-event.ts';
import type { Database } from '../platform/database/database.ts';
import type { Mail, SendMail } from '../platform/egress/send-mail.ts';
import type { JobHandler } from '../platform/jobs/jobs.ts';
import { type StorageCrossing, warningKind } from './full-storage.ts';
import { toKilobytes } from './units.ts';

/** A mail server may be down for hours. */
const maxAttempts = 100;

export function storageWarningHandlers(parts: {
  database: Database;
  sendMail: SendMail;
}): Record<typeof warningKind, JobHandler> {
  const { database, sendMail } = parts;
  return {
    [warningKind]: {
      async run(crossing: StorageCrossing) {
        const { account_id: accountId, crossing: id, used_bytes: used, limit_bytes: limit } = crossing;
        const percent = Math.floor((used / limit) * 100);
        const account = await database.read
          .selectFrom('accounts')
          .select('email')
          .where('account_id', '=', accountId)
          .executeTakeFirst();
        if (!account) return;
        const data = { percent, storage_used: toKilobytes(used), storage_limit: toKilobytes(limit) };
        // Under an id of its own: a mail that has to be tried again does not make it a second event.
        const event = { accountId, type: 'storage.warning', data, eventId: `evt_${id}` } as const;
        await database.write((tx) => recordEvent(tx, event));
        await sendMail({ to: account.email, id, ...warningText({ percent, used, limit }) });
      },
      maxAttempts,
    },
  };
}

type Figures = { percent: number; used: number; limit: number };

export function warningText({ percent, used, limit }: Figures): Pick<Mail, 'subject' | 'text'> {
  return {
    subject: `Your Tintype storage is ${percent}% full`,
    text: [
      'Hello,',
      `your storage is ${percent}% full: ${inWords(used)} of ${inWords(limit)} are used.`,
      'When it is full, new uploads are refused until there is room again. Everything that is stored stays where it is\nand is served as before. To make room, delete what you no longer need, or ask the operator of this service for\na higher limit.',
      'You will not get this message again unless use first falls below 90%.',
      '',
    ].join('\n\n'),
  };
}

function inWords(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${Math.round((bytes / 1024 ** power) * 100) / 100} ${units[power]}`;
}
