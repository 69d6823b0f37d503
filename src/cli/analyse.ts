// `tintype analyse`: how far the analysis of pictures is, and a way to have what is missing tried again.
import { listAccounts } from '../accounts/accounts.ts';
import type { Account } from '../accounts/tables.ts';
import { modelOf } from '../ai-providers.ts';
import type { Config } from '../config.ts';
import { openPictureIndex } from '../open-picture-index.ts';
import type { Database } from '../platform/database/database.ts';
import { OperatorError } from '../platform/errors.ts';
import { findProgress } from '../search/analysis/analysis-progress.ts';
import { analyseWhatIsMissing } from '../search/analysis/find-unanalysed.ts';
import { analysisRecord } from '../search/analysis-routes.ts';
import { jsonOption, readArguments } from './arguments.ts';
import { chooseAccount } from './choose-account.ts';
import { printJson, printTable } from './output.ts';
import { withCore } from './with-core.ts';

export const help = `Usage:
  tintype analyse [--missing] [--account A]

  --missing   queue every picture that has no vector of its account's model, also those that were given up
  --account   id or e-mail of the account; all that have analysis on if left out
  --json      print JSON

Works while the server runs, which does what is queued; without one it is done after the next start.
Analysis is switched on in the settings of each account (PATCH /user/ with "ai_analysis": true).`;

const columns = ['account_id', 'email', 'model', 'pictures', 'analysed', 'waiting', 'failed', 'ai_error'];

export async function analyse(args: string[], config: () => Config): Promise<void> {
  const { values } = readArguments(args, {
    missing: { type: 'boolean', default: false },
    account: { type: 'string' },
    ...jsonOption,
  });
  const settings = config();
  await withCore(settings, async ({ database }) => {
    const accounts = await analysedAccounts(database, values.account);
    if (values.missing) await tryAgain(database, accounts);
    const records = await recordsOf(settings, database, await analysedAccounts(database, values.account));
    if (values.json) return printJson({ accounts: records });
    if (records.length === 0) return console.log('No account has analysis on.');
    printTable(columns, records);
    if (values.missing)
      console.log('\nQueued what is missing. Run "tintype analyse" again to see how far it is.');
  });
}

async function tryAgain(database: Database, accounts: readonly Account[]): Promise<void> {
  for (const account of accounts) {
    if (!account.ai_analysis) throw new OperatorError(`Analysis is off for ${account.email}`);
    await database.write((tx) => analyseWhatIsMissing(database, tx, account));
  }
}

async function analysedAccounts(database: Database, named: string | undefined): Promise<Account[]> {
  if (named !== undefined) return [await chooseAccount(database, named)];
  return (await listAccounts(database)).filter((account) => account.ai_analysis === 1);
}

async function recordsOf(config: Config, database: Database, accounts: readonly Account[]) {
  const index = openPictureIndex(config, database);
  const parts = { database, index, providers: { modelOf: (account: Account) => modelOf(config, account) } };
  try {
    const records = [];
    for (const account of accounts)
      records.push({
        account_id: account.account_id,
        email: account.email,
        ...analysisRecord(account, await findProgress(parts, account)),
      });
    return records;
  } finally {
    await index.close();
  }
}
