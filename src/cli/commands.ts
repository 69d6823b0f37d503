// The commands of `tintype`, and how they are asked for. Each is loaded only when it runs: most need little of the rest.
import type { Config } from '../config.ts';
import type { ServiceAccess } from '../service-access.ts';
import { version } from '../version.ts';
import { UsageError } from './arguments.ts';

/** The code the process ends with; nothing means 0. */
export type ExitCode = 0 | 1;
/** What the environment says, read when it is needed: not every command runs where a service does. */
export type Environment = {
  readonly config: () => Config;
  readonly access: () => ServiceAccess;
};
type Run = (
  args: string[],
  config: Environment['config'],
  access: Environment['access'],
) => Promise<ExitCode | void>;
type Command = { meaning: string; load(): Promise<{ run: Run; help: string }> };

const commands: Record<string, Command> = {
  serve: {
    meaning: 'run the service',
    load: () => import('./serve.ts').then(({ serveCommand: run, help }) => ({ run, help })),
  },
  worker: {
    meaning: 'run background jobs beside other nodes',
    load: () => import('./worker.ts').then(({ workerCommand: run, help }) => ({ run, help })),
  },
  account: {
    meaning: 'make, list and change accounts',
    load: () => import('./account.ts').then(({ account: run, help }) => ({ run, help })),
  },
  key: {
    meaning: 'make, list, revoke and rotate API keys',
    load: () => import('./key.ts').then(({ key: run, help }) => ({ run, help })),
  },
  import: {
    meaning: 'upload all pictures of a folder, a list of addresses or a bucket',
    load: () => import('./import.ts').then(({ importCommand: run, help }) => ({ run, help })),
  },
  mcp: {
    meaning: 'let assistants work with a running service (Model Context Protocol)',
    load: () => import('./mcp.ts').then(({ mcpCommand: run, help }) => ({ run, help })),
  },
  analyse: {
    meaning: 'see how far the analysis of pictures is, and queue what is missing',
    load: () => import('./analyse.ts').then(({ analyse: run, help }) => ({ run, help })),
  },
  doctor: {
    meaning: 'check this installation and say what to do',
    load: () => import('./doctor.ts').then(({ doctor: run, help }) => ({ run, help })),
  },
  rebuild: {
    meaning: 'make a lost database anew from what lies beside the files',
    load: () => import('./rebuild.ts').then(({ rebuild: run, help }) => ({ run, help })),
  },
  scrub: {
    meaning: 'read every stored file, and find what is damaged or missing',
    load: () => import('./scrub.ts').then(({ scrub: run, help }) => ({ run, help })),
  },
  backup: {
    meaning: 'copy everything, or what is new, to another place',
    load: () => import('./backup.ts').then(({ backup: run, help }) => ({ run, help })),
  },
  restore: {
    meaning: 'make an installation from a backup',
    load: () => import('./restore.ts').then(({ restore: run, help }) => ({ run, help })),
  },
  migrate: {
    meaning: 'move the database or the files elsewhere while the service runs',
    load: () => import('./migrate.ts').then(({ migrate: run, help }) => ({ run, help })),
  },
};

export async function runCommand(args: string[], { config, access }: Environment): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined) throw new UsageError(overview());
  if (['help', '--help', '-h'].includes(name) && rest.length === 0) return print(overview());
  if (name === '--version' || name === '-v') return print(version);
  const wanted = name === 'help' ? (rest[0] as string) : name;
  if (!Object.hasOwn(commands, wanted)) throw new UsageError(`Unknown command "${wanted}"\n\n${overview()}`);
  const { run, help } = await (commands[wanted] as Command).load();
  if (name === 'help' || rest.includes('--help') || rest.includes('-h')) return print(help);
  try {
    return (await run(rest, config, access)) ?? 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}\n\nSee: tintype ${wanted} --help`);
  }
}

function print(text: string): ExitCode {
  console.log(text);
  return 0;
}

function overview(): string {
  const rows = Object.entries(commands).map(([name, { meaning }]) => `  ${name.padEnd(10)} ${meaning}`);
  return `Usage: tintype <command> [options]\n\n${rows.join('\n')}\n\nSee "tintype <command> --help". Settings come from the environment.`;
}
