// The commands of `tintype`, and how they are asked for.
import type { Config } from '../config.ts';

export class UsageError extends Error {}

type Command = { usage: string; meaning: string; run(args: string[], config: () => Config): Promise<void> };

const commands: Record<string, Command> = {
  serve: {
    usage: 'serve [--no-jobs]',
    meaning: 'run the service',
    async run(args, config) {
      const { serve } = await import('./serve.ts');
      await serve(config(), { runJobs: !args.includes('--no-jobs') });
    },
  },
};

export async function runCommand(args: string[], config: () => Config): Promise<void> {
  const [name = 'help', ...rest] = args;
  const command = commands[name];
  if (!command) throw new UsageError(help());
  await command.run(rest, config);
}

function help(): string {
  const rows = Object.values(commands).map(
    ({ usage, meaning }) => `  tintype ${usage.padEnd(40)} ${meaning}`,
  );
  return `Usage:\n${rows.join('\n')}`;
}
