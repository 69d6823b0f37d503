// `tintype key`: make, list, revoke and rotate API keys of any account, also while the server runs.
import { CreateBody, listedKey, madeKey, maxGraceSeconds } from '../accounts/key-routes.ts';
import { createKey, revokeKey, rotateKey } from '../accounts/keys.ts';
import { parseIsoTime } from '../accounts/units.ts';
import type { Config } from '../config.ts';
import type { Core } from '../core.ts';
import { allKeys, findOwnedKey } from './all-keys.ts';
import { jsonOption, readArguments, readSubcommand, required, UsageError, wholeNumber } from './arguments.ts';
import { checkFields } from './check-fields.ts';
import { chooseAccount } from './choose-account.ts';
import { printJson, printRecord, printTable } from './output.ts';
import { withCore } from './with-core.ts';

export const help = `Usage:
  tintype key create --name N [--account A] [--scopes read,write] [--expires TIME]
  tintype key list [--account A]
  tintype key revoke <key_id>
  tintype key rotate <key_id> [--grace SECONDS]

  --account   id or e-mail of the account; create: the only account or else the operator's; list: all accounts
  --scopes    of read, write, account and operator, separated by commas; read and write if left out
  --expires   ISO 8601, such as 2027-01-31 or 2027-01-31T12:00:00Z; never if left out
  --grace     how long the old secret stays good; 0 if left out
  --json      print JSON

Works while the server runs, and takes effect there at once. A key is shown this once; nobody can show it again.`;

const manager = { asOperator: true };

export async function key(args: string[], config: () => Config): Promise<void> {
  const { chosen, rest } = readSubcommand(args, { create, list, revoke, rotate });
  const work = chosen(rest);
  await withCore(config(), work);
}

type Work = (core: Core) => Promise<void>;

function create(args: string[]): Work {
  const { values } = readArguments(args, {
    name: { type: 'string' },
    account: { type: 'string' },
    scopes: { type: 'string' },
    expires: { type: 'string' },
    ...jsonOption,
  });
  const scopes = values.scopes?.split(',').map((scope) => scope.trim());
  const body = checkFields(CreateBody, { name: required(values.name, 'name'), scopes });
  const expiresAt = values.expires === undefined ? null : futureTime(values.expires);
  return async ({ database }) => {
    const owner = await chooseAccount(database, values.account);
    const made = madeKey(await createKey(database, owner, manager, { ...body, expiresAt }));
    (values.json ? printJson : printRecord)({ account_id: owner.account_id, ...made });
  };
}

const listedColumns = [
  'key_id',
  'name',
  'scopes',
  'account_id',
  'email',
  'created_at',
  'expires_at',
  'last_used_at',
];

function list(args: string[]): Work {
  const { values } = readArguments(args, { account: { type: 'string' }, ...jsonOption });
  return async ({ database }) => {
    const owner = values.account && (await chooseAccount(database, values.account));
    const keys = (await allKeys(database))
      .filter((one) => !owner || one.account_id === owner.account_id)
      .map((one) => ({ ...listedKey(one), account_id: one.account_id, email: one.email }));
    if (values.json) printJson({ keys });
    else printTable(listedColumns, keys);
  };
}

function revoke(args: string[]): Work {
  const { values, positionals } = readArguments(args, jsonOption, ['key_id']);
  return async ({ database }) => {
    const owned = await findOwnedKey(database, positionals[0] as string);
    await revokeKey(database, owned, manager, owned.key_id);
    if (values.json) printJson({ key_id: owned.key_id, status: 'success' });
    else console.log(`Revoked the key ${owned.key_id} ("${owned.name}") of ${owned.email}`);
  };
}

function rotate(args: string[]): Work {
  const options = { grace: { type: 'string', default: '0' }, ...jsonOption } as const;
  const { values, positionals } = readArguments(args, options, ['key_id']);
  const graceSeconds = wholeNumber(values.grace, 'grace', 0, maxGraceSeconds);
  return async ({ database }) => {
    const owned = await findOwnedKey(database, positionals[0] as string);
    const rotated = await rotateKey(database, owned, manager, { keyId: owned.key_id, graceSeconds });
    (values.json ? printJson : printRecord)({ account_id: owned.account_id, ...madeKey(rotated) });
  };
}

function futureTime(text: string): number {
  const ms = parseIsoTime(text);
  if (ms === null || ms <= Date.now())
    throw new UsageError('--expires must be an ISO 8601 time in the future');
  return ms;
}
