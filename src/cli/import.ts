// `tintype import`: uploads all pictures and films below a folder of this machine, and goes on where it stopped when run again.
import { realpath, stat } from 'node:fs/promises';
import type { Account } from '../accounts/tables.ts';
import type { Config } from '../config.ts';
import type { Core } from '../core.ts';
import type { FileOutcome, ImportTarget } from '../objects/import/import-file.ts';
import { importFolder, type ImportTotals } from '../objects/import/import-folder.ts';
import { ImportJournal, journalFile } from '../objects/import/journal.ts';
import { type FoundEntry, walkFolder } from '../objects/import/walk.ts';
import { parseFolder, parseTagList } from '../objects/object-fields.ts';
import { UploadStore } from '../objects/uploads/store-upload.ts';
import { AppError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';
import { processFilmJob } from '../videos/process-film.ts';
import { jsonOption, readArguments, UsageError, wholeNumber } from './arguments.ts';
import { chooseAccount } from './choose-account.ts';
import { printImport } from './import-summary.ts';
import { formatBytes, printJson } from './output.ts';
import { startProgress } from './progress.ts';
import { openFilmService } from '../open-film-service.ts';
import { withCore } from './with-core.ts';
import { abortOnSignal } from './abort-on-signal.ts';

export const help = `Usage:
  tintype import <folder> [--account A] [--folder F] [--tags a,b] [--concurrency N] [--no-keep-paths]

  --account         id or e-mail of the account; the only account or else the operator's if left out
  --folder          folder the objects get; below it, as below <folder>, the folders they lie in
  --no-keep-paths   do not turn the folders they lie in into folders of the objects
  --tags            tags all of them get, separated by commas
  --concurrency     files at a time, 1 to 32; 4 if left out
  --json            print the totals, and every file skipped or failed, as JSON

Uploads every picture and film below <folder> with the checks and limits of an upload over the API, also while the server runs.
What is neither is skipped and named at the end; links and names that begin with a dot are not followed. Run it
again after Ctrl-C, a crash or a full quota: what is stored already is not stored twice. A file that has changed since
is uploaded as a new object. Ends with 0 when all are stored, else with 1.`;

export async function importCommand(args: string[], config: () => Config): Promise<0 | 1> {
  const { values, positionals } = readArguments(
    args,
    {
      account: { type: 'string' },
      folder: { type: 'string' },
      tags: { type: 'string' },
      concurrency: { type: 'string', default: '4' },
      'keep-paths': { type: 'boolean', default: true },
      ...jsonOption,
    },
    ['folder'],
  );
  const concurrency = wholeNumber(values.concurrency, 'concurrency', 1, 32);
  const naming = {
    root: await existingFolder(positionals[0] as string),
    folder: parseFolder(values.folder),
    tags: parseTagList(values.tags),
    keepPaths: values['keep-paths'],
  };
  const settings = config();
  return withCore(settings, async (core) => {
    const account = enabled(await chooseAccount(core.database, values.account));
    const startedAt = performance.now();
    const totals = await runImport(core, settings, { ...naming, account }, concurrency);
    const seconds = (performance.now() - startedAt) / 1000;
    if (values.json) printJson({ account_id: account.account_id, ...totals, seconds });
    else printImport(totals, seconds, account);
    return totals.stopped === null && totals.failed.length === 0 ? 0 : 1;
  });
}

async function runImport(
  core: Core,
  config: Config,
  target: ImportTarget,
  concurrency: number,
): Promise<ImportTotals> {
  const entries: FoundEntry[] = await Array.fromAsync(walkFolder(target.root));
  const journal = await ImportJournal.open(
    journalFile(config.dataDir, target.account.account_id, target.root),
  );
  const films = openFilmService(config, createLog('fatal'));
  const uploads = new UploadStore({ ...core, films: { inspect: films.inspect, processJob: processFilmJob } });
  const progress = startProgress('Importing', entries.length);
  const stop = abortOnSignal();
  let uploadedBytes = 0;
  const onOutcome = (outcome: FileOutcome): void => {
    if (outcome.kind === 'uploaded') uploadedBytes += outcome.bytes;
    progress.advance(1, formatBytes(uploadedBytes));
  };
  try {
    const { signal } = stop;
    return await importFolder({ ...core, uploads, journal }, target, entries, {
      concurrency,
      signal,
      onOutcome,
    });
  } finally {
    stop.ignore();
    progress.stop();
    await journal.close();
    await films.close();
  }
}

async function existingFolder(path: string): Promise<string> {
  const facts = await stat(path).catch(() => null);
  if (!facts?.isDirectory()) throw new UsageError(`There is no folder ${path}`);
  return realpath(path);
}

function enabled(account: Account): Account {
  if (account.enabled) return account;
  throw new AppError(
    'account_disabled',
    `The account ${account.account_id} is disabled; enable it with: tintype account set ${account.account_id} --enabled yes`,
  );
}
