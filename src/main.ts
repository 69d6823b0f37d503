// The command line: reads the environment once and runs the command that was asked for.
import { loadConfig, loadServiceAccess } from './config.ts';
import { AppError, OperatorError } from './platform/errors.ts';
import { armFailpoint } from './platform/failpoints.ts';
import { UsageError } from './cli/arguments.ts';
import { runCommand } from './cli/commands.ts';

export async function main(args: string[]): Promise<void> {
  try {
    armFailpoint(process.env['TINTYPE_FAILPOINT']);
    process.exitCode = await runCommand(args, {
      config: () => loadConfig(process.env),
      access: () => loadServiceAccess(process.env),
    });
  } catch (error) {
    const isExpected = error instanceof OperatorError || error instanceof AppError;
    console.error(isExpected ? (error as Error).message : error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
