// Opens what a command works on, beside a running server or without one, and closes it again.
import { ensureOperatorAccount } from '../accounts/accounts.ts';
import type { Config } from '../config.ts';
import { type Core, openCore } from '../core.ts';

export async function withCore<T>(config: Config, work: (core: Core) => Promise<T>): Promise<T> {
  const core = await openCore(config);
  try {
    // Before any other account: a server that finds one makes no operator any more.
    const operator = await ensureOperatorAccount(core.database, { bootstrapKey: config.BOOTSTRAP_API_KEY });
    if (operator.apiKey) {
      console.error(
        `This data folder is new: made the operator's account. Its API key, shown this once:\n  ${operator.apiKey}`,
      );
    }
    return await work(core);
  } finally {
    await core.database.close();
  }
}
