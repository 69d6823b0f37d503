// `tintype import`: uploads all pictures and films of a folder, a list of addresses or a bucket, into this service or one
// elsewhere, and goes on where it stopped when run again.
import type { Config } from '../config.ts';
import { importAll, type ImportTotals } from '../importing/import-all.ts';
import type { ImportTerms, ItemOutcome } from '../importing/import-item.ts';
import type { ImportSource } from '../importing/import-source.ts';
import { ImportJournal, journalFile } from '../importing/journal.ts';
import { parseFolder, parseTagList } from '../objects/object-fields.ts';
import type { ServiceAccess } from '../service-access.ts';
import { formatBytes } from '../lib/format-bytes.ts';
import { abortOnSignal } from './abort-on-signal.ts';
import { jsonOption, readArguments, UsageError, wholeNumber } from './arguments.ts';
import { type NamedService, namedService, serviceOptions } from './connect-service.ts';
import { findImportSource } from './import-source.ts';
import { printImport } from './import-summary.ts';
import { type ImportPlace, withLocalTarget, withRemoteTarget } from './import-target.ts';
import { printJson } from './output.ts';
import { startProgress } from './progress.ts';

export const help = `Usage:
  tintype import <source> [--account A | --server URL] [--folder F] [--tags a,b] [--concurrency N] [--no-keep-paths]

  <source>          a folder of this machine;
                    a list of addresses: a file that ends in .txt or .tsv, or - for standard input. One address a line and,
                    after tabs, if wanted, the id of the object and its tags (a,b); lines that begin with # are left out;
                    a bucket: s3://bucket/prefix?endpoint=…&region=…, with credentials as the AWS SDK finds them
  --account         id or e-mail of the account; the only account or else the operator's if left out
  --server          address of a service to import into, instead of the data of this one; also TINTYPE_URL
  --key             API key for it, with the scopes read and write; better TINTYPE_KEY or TINTYPE_KEY_FILE in the environment,
                    which nobody sees who lists the processes of this machine
  --folder          folder the objects get; below it, as below <source>, the folders they lie in
  --no-keep-paths   do not turn the folders they lie in into folders of the objects
  --tags            tags all of them get, separated by commas
  --concurrency     files at a time, 1 to 32; 4 if left out
  --json            print the totals, and every file skipped or failed, as JSON

Uploads every picture and film of <source> with the checks and limits of an upload over the API, also while the server runs.
What is neither is skipped and named at the end; links and names that begin with a dot are not followed. Run it
again after Ctrl-C, a crash or a full quota: what is stored already is not stored twice. A file that has changed since
is uploaded as a new object. Ends with 0 when all are stored, else with 1.`;

type ImportJob = { open(): Promise<ImportSource>; terms: ImportTerms; concurrency: number; json: boolean };

export async function importCommand(
  args: string[],
  config: () => Config,
  access: () => ServiceAccess,
): Promise<0 | 1> {
  const { values, positionals } = readArguments(
    args,
    {
      account: { type: 'string' },
      folder: { type: 'string' },
      tags: { type: 'string' },
      concurrency: { type: 'string', default: '4' },
      'keep-paths': { type: 'boolean', default: true },
      ...serviceOptions,
      ...jsonOption,
    },
    ['source'],
  );
  const { folder, tags, json } = values;
  const job: ImportJob = {
    concurrency: wholeNumber(values.concurrency, 'concurrency', 1, 32),
    terms: { folder: parseFolder(folder), tags: parseTagList(tags), keepPaths: values['keep-paths'] },
    open: await findImportSource(positionals[0] as string),
    json,
  };
  const service = serviceFor(values, access);
  const work = (place: ImportPlace): Promise<0 | 1> => runImport(job, place);
  return service ? withRemoteTarget(service, work) : withLocalTarget(config(), values.account, work);
}

/** An account is one of this service's own; a key belongs to one anyway. */
function serviceFor(
  {
    account,
    ...options
  }: { account?: string | undefined; server?: string | undefined; key?: string | undefined },
  access: () => ServiceAccess,
): NamedService | undefined {
  if (account === undefined) return namedService(options, access);
  if (options.server !== undefined || options.key !== undefined)
    throw new UsageError(
      '--account is for the data of this service; with --server the key says which account',
    );
  return undefined;
}

async function runImport(job: ImportJob, { target, journals, roomAdvice }: ImportPlace): Promise<0 | 1> {
  const startedAt = performance.now();
  const source = await job.open();
  const items = await Array.fromAsync(source.items());
  const journal = await ImportJournal.open(journalFile(journals, target.accountId, source.name));
  const progress = startProgress('Importing', items.length);
  const stop = abortOnSignal();
  let uploadedBytes = 0;
  const onOutcome = (outcome: ItemOutcome): void => {
    if (outcome.kind === 'uploaded') uploadedBytes += outcome.bytes;
    progress.advance(1, formatBytes(uploadedBytes));
  };
  let totals: ImportTotals;
  try {
    const { terms, concurrency } = job;
    const parts = { from: source.name, target, journal, terms, signal: stop.signal };
    totals = await importAll(parts, items, { concurrency, onOutcome });
  } finally {
    stop.ignore();
    progress.stop();
    await journal.close();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  if (job.json) printJson({ account_id: target.accountId, ...totals, seconds });
  else printImport(totals, seconds, roomAdvice);
  return totals.stopped === null && totals.failed.length === 0 ? 0 : 1;
}
