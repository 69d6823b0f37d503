// /accounts/: the operator makes, lists, changes and deletes accounts.
import { type Static, Type } from 'typebox';
import type { Database } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import type { HttpApp } from '../platform/http/http-server.ts';
import {
  AccountRecord,
  accountRecord,
  Email,
  nullableNumber,
  OperatorAccountRecord,
  operatorAccountRecord,
  Tier,
} from './account-record.ts';
import { createAccount, deleteAccount, findAccount, listAccounts, patchAccount } from './accounts.ts';
import type { Caller } from './authenticate.ts';
import type { AccountTerms } from './new-account.ts';
import { limitToBytes, limitToSeconds, toIsoTime } from './units.ts';

/** Bounds that keep bytes and seconds exact and windows within what a timer can wait. */
function limit(name: string, meaning: string, minimum: number, maximum: number) {
  return Type.Optional(
    nullableNumber({
      minimum,
      maximum,
      description: `${meaning}; null follows the tier`,
      'x-error': `Field "${name}" must be a number from ${minimum} to ${maximum}, or null`,
    }),
  );
}

const terms = {
  tier: Type.Optional(Tier),
  storage_limit: limit('storage_limit', 'Kilobytes', 0, 1e12),
  video_minutes_limit: limit('video_minutes_limit', 'Minutes of video', 0, 1e9),
  rate_limit_per_minute: limit('rate_limit_per_minute', 'API requests', 0.001, 1e9),
  variants_per_minute: limit('variants_per_minute', 'New variants', 0, 1e9),
};
const TermsBody = Type.Object(terms);

export const CreateBody = Type.Object({ email: Email, ...terms }, { additionalProperties: false });
export const PatchBody = Type.Object(
  {
    ...terms,
    enabled: Type.Optional(
      Type.Boolean({
        description: 'True also takes back a deletion',
        'x-error': 'Field "enabled" must be true or false',
      }),
    ),
  },
  { additionalProperties: false },
);
const AccountPath = Type.Object({ account_id: Type.String() });

const CreatedAccount = Type.Object({ ...AccountRecord.properties, api_key: Type.String() });
const AccountList = Type.Object({ accounts: Type.Array(OperatorAccountRecord) });
const DeletedAccount = Type.Object({
  account_id: Type.String(),
  status: Type.String(),
  erase_at: Type.String({ format: 'date-time' }),
});

const config = { scope: 'operator' } as const;
const tags = ['Accounts'];
const creating = { summary: 'Make an account', tags, body: CreateBody, response: { 200: CreatedAccount } };
const listing = { summary: 'List all accounts', tags, response: { 200: AccountList } };
const one = { tags, params: AccountPath, response: { 200: OperatorAccountRecord } };
const showing = { summary: 'One account', ...one };
const changing = { summary: 'Change tier, limits, or whether it is enabled', ...one, body: PatchBody };
const deleting = {
  summary: 'Disable now, erase after 7 days',
  tags,
  params: AccountPath,
  response: { 200: DeletedAccount },
};

export function accountRoutes(app: HttpApp, { database }: { database: Database }): void {
  app.post('/accounts/', { config, schema: creating }, async ({ body }) => {
    const { account, apiKey } = await createAccount(database, { email: body.email, ...toTerms(body) });
    return { ...accountRecord(account), api_key: apiKey };
  });

  app.get('/accounts/', { config, schema: listing }, async () => ({
    accounts: (await listAccounts(database)).map(operatorAccountRecord),
  }));

  app.get('/accounts/:account_id', { config, schema: showing }, async ({ params }) =>
    operatorAccountRecord(await findAccount(database, params.account_id)),
  );

  app.patch('/accounts/:account_id', { config, schema: changing }, async ({ params, body, caller }) => {
    const { enabled } = body;
    if (enabled === false) assertNotOwn(caller, params.account_id);
    const change = { ...toTerms(body), ...(enabled === undefined ? {} : { enabled }) };
    return operatorAccountRecord(await patchAccount(database, params.account_id, change));
  });

  app.delete('/accounts/:account_id', { config, schema: deleting }, async ({ params, caller }) => {
    assertNotOwn(caller, params.account_id);
    const account = await deleteAccount(database, params.account_id);
    const eraseAt = toIsoTime(account.erase_at as number);
    return { account_id: account.account_id, status: 'success', erase_at: eraseAt };
  });
}

/** An operator cannot lock the operator out. */
function assertNotOwn(caller: Caller, accountId: string): void {
  if (caller.account.account_id === accountId)
    throw new AppError('conflict', 'The account of the API key in use cannot be disabled or deleted');
}

/** Only what was given: a limit left out of a change stays, and null gives it back to the tier. */
export function toTerms(body: Static<typeof TermsBody>): AccountTerms {
  const given: AccountTerms = {};
  if (body.tier !== undefined) given.tier = body.tier;
  if (body.storage_limit !== undefined)
    given.storage_limit_bytes = body.storage_limit === null ? null : limitToBytes(body.storage_limit);
  if (body.video_minutes_limit !== undefined)
    given.video_seconds_limit =
      body.video_minutes_limit === null ? null : limitToSeconds(body.video_minutes_limit);
  if (body.rate_limit_per_minute !== undefined) given.rate_limit_per_minute = body.rate_limit_per_minute;
  if (body.variants_per_minute !== undefined) given.variants_per_minute = body.variants_per_minute;
  return given;
}
