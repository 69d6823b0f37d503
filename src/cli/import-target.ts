// Where `tintype import` puts what it finds: into this service's own data, or into a service elsewhere; and where it notes
// what it has stored, which must be found again by the next run.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ConnectionError, TintypeError } from '../../client/src/index.ts';
import { limitsOf } from '../accounts/limits.ts';
import type { Account } from '../accounts/tables.ts';
import type { Config } from '../config.ts';
import type { ImportTarget } from '../importing/import-target.ts';
import { LocalTarget } from '../importing/local-target.ts';
import { RemoteTarget } from '../importing/remote-target.ts';
import { UploadStore } from '../objects/uploads/store-upload.ts';
import { openFilmService } from '../open-film-service.ts';
import { AppError, OperatorError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';
import { processFilmJob } from '../videos/process-film.ts';
import { formatBytes } from '../lib/format-bytes.ts';
import { chooseAccount } from './choose-account.ts';
import { connectService, type NamedService } from './connect-service.ts';
import { withCore } from './with-core.ts';

export type ImportPlace = {
  readonly target: ImportTarget;
  /** The folder of the journals. */
  readonly journals: string;
  /** What to do when the account is full. */
  readonly roomAdvice: string;
};
type Work<T> = (place: ImportPlace) => Promise<T>;

export async function withLocalTarget<T>(
  config: Config,
  accountName: string | undefined,
  work: Work<T>,
): Promise<T> {
  return withCore(config, async (core) => {
    const account = enabled(await chooseAccount(core.database, accountName));
    const films = openFilmService(config, createLog('fatal'));
    const uploads = new UploadStore({
      ...core,
      films: { inspect: films.inspect, processJob: processFilmJob },
    });
    try {
      const allowPrivate = config.UPLOAD_ALLOW_PRIVATE;
      using target = new LocalTarget({ stores: core.stores, uploads, account, allowPrivate });
      return await work({
        target,
        journals: join(config.dataDir, 'imports'),
        roomAdvice: roomAdvice(account),
      });
    } finally {
      await films.close();
    }
  });
}

function roomAdvice(account: Account): string {
  const { storageBytes } = limitsOf(account);
  const limit = storageBytes === null ? 'the limit' : `the limit of ${formatBytes(storageBytes)}`;
  return `Delete something, or raise ${limit} with "tintype account set ${account.account_id} --storage-limit <KB>"`;
}

function enabled(account: Account): Account {
  if (account.enabled) return account;
  throw new AppError(
    'account_disabled',
    `The account ${account.account_id} is disabled; enable it with: tintype account set ${account.account_id} --enabled yes`,
  );
}

/** Not below DATA_DIR: the machine need not run a service, and its working folder may be another next time. */
const remoteJournals = (): string => join(homedir(), '.tintype', 'imports');

export async function withRemoteTarget<T>(named: NamedService, work: Work<T>): Promise<T> {
  const service = connectService(named);
  const { account_id: accountId } = await service.account.get().catch((error: unknown) => {
    throw asOperatorError(error, named.url);
  });
  console.error(`Importing into ${named.url}`);
  return work({
    target: new RemoteTarget({ service, accountId }),
    journals: remoteJournals(),
    roomAdvice: 'Delete something, or ask the operator of the service for more room',
  });
}

function asOperatorError(error: unknown, url: string): unknown {
  if (error instanceof ConnectionError) return new OperatorError(error.message);
  if (!(error instanceof TintypeError)) return error;
  const isElsewhere = error.status >= 300 && error.status < 400;
  const why = isElsewhere ? 'sends us to another address; give that one' : `refuses: ${error.message}`;
  return new OperatorError(`The service at ${url} ${why}`);
}
