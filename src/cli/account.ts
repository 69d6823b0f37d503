// `tintype account`: make, list and change accounts, also while the server runs.
import { CreateBody, PatchBody, toTerms } from '../accounts/account-routes.ts';
import { accountRecord, operatorAccountRecord } from '../accounts/account-record.ts';
import { createAccount, listAccounts, patchAccount } from '../accounts/accounts.ts';
import type { Config } from '../config.ts';
import type { Core } from '../core.ts';
import { jsonOption, readArguments, readSubcommand, required, UsageError } from './arguments.ts';
import { checkFields, numberOrNone } from './check-fields.ts';
import { chooseAccount } from './choose-account.ts';
import { printJson, printRecord, printTable } from './output.ts';
import { withCore } from './with-core.ts';

export const help = `Usage:
  tintype account create --email E [--tier T] [--storage-limit KB] [--video-minutes N] [--rate-limit N] [--variants N]
  tintype account list
  tintype account set <account> [--tier T] [--storage-limit KB] [--video-minutes N] [--rate-limit N] [--variants N]
                                [--enabled yes|no]

  <account>              the account's id, or its e-mail where only one account has it
  --tier                 free (default), pro or enterprise
  --storage-limit        kilobytes of images; "none": no limit of its own, its tier's holds. So for the others:
  --video-minutes        minutes of video
  --rate-limit           API requests per minute
  --variants             new variants per minute
  --enabled              yes also takes back a deletion that was not carried out yet
  --json                 print JSON

Works while the server runs, and takes effect there at once. create prints the account's API key this once.`;

const termOptions = {
  tier: { type: 'string' },
  'storage-limit': { type: 'string' },
  'video-minutes': { type: 'string' },
  'rate-limit': { type: 'string' },
  variants: { type: 'string' },
} as const;
type TermValues = { [Name in keyof typeof termOptions]?: string | undefined };

const optionOf = {
  storage_limit: 'storage-limit',
  video_minutes_limit: 'video-minutes',
  rate_limit_per_minute: 'rate-limit',
  variants_per_minute: 'variants',
};

export async function account(args: string[], config: () => Config): Promise<void> {
  const { chosen, rest } = readSubcommand(args, { create, list, set });
  const work = chosen(rest);
  await withCore(config(), work);
}

type Work = (core: Core) => Promise<void>;

function create(args: string[]): Work {
  const options = { email: { type: 'string' }, ...termOptions, ...jsonOption } as const;
  const { values } = readArguments(args, options);
  required(values.email, 'email');
  const body = checkFields(CreateBody, { email: values.email, ...termsOf(values) }, optionOf);
  return async ({ database }) => {
    const made = await createAccount(database, { email: body.email, ...toTerms(body) });
    const record = { ...accountRecord(made.account), api_key: made.apiKey };
    (values.json ? printJson : printRecord)(record);
  };
}

function list(args: string[]): Work {
  const { values } = readArguments(args, jsonOption);
  return async ({ database }) => {
    const accounts = (await listAccounts(database)).map(operatorAccountRecord);
    if (values.json) printJson({ accounts });
    else printTable(listedColumns, accounts);
  };
}

const listedColumns = [
  'account_id',
  'email',
  'tier',
  'enabled',
  'object_count',
  'storage_used',
  'storage_limit',
  'bucket_id',
  'created_at',
];

function set(args: string[]): Work {
  const options = { enabled: { type: 'string' }, ...termOptions, ...jsonOption } as const;
  const { values, positionals } = readArguments(args, options, ['account']);
  const { enabled, ...terms } = checkFields(
    PatchBody,
    { ...termsOf(values), enabled: yesOrNo(values.enabled) },
    optionOf,
  );
  const change = { ...toTerms(terms), ...(enabled === undefined ? {} : { enabled }) };
  if (Object.keys(change).length === 0) throw new UsageError('Say what to change');
  return async ({ database }) => {
    const { account_id: accountId } = await chooseAccount(database, positionals[0]);
    const record = operatorAccountRecord(await patchAccount(database, accountId, change));
    (values.json ? printJson : printRecord)(record);
  };
}

function termsOf(values: TermValues) {
  return {
    tier: values.tier,
    storage_limit: numberOrNone(values['storage-limit']),
    video_minutes_limit: numberOrNone(values['video-minutes']),
    rate_limit_per_minute: numberOrNone(values['rate-limit']),
    variants_per_minute: numberOrNone(values.variants),
  };
}

function yesOrNo(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === 'yes' || text === 'no') return text === 'yes';
  throw new UsageError('--enabled must be yes or no');
}
