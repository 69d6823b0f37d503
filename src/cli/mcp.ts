// `tintype mcp`: lets assistants work with a running service, over standard input and output. Nothing else may be written
// to standard output here.
import type { Config } from '../config.ts';
import { serveMcp } from '../mcp/serve-mcp.ts';
import type { ServiceAccess } from '../service-access.ts';
import { version } from '../version.ts';
import { readArguments, UsageError } from './arguments.ts';
import { connectService, namedService, serviceFetch, serviceOptions } from './connect-service.ts';

/** What is under way when the assistant has gone is called off; this is for what does not hear it. */
const lastMs = 2000;

export const help = `Usage:
  tintype mcp [--server URL] [--key KEY]

  --server   address of the service; also TINTYPE_URL
  --key      API key; better TINTYPE_KEY or TINTYPE_KEY_FILE in the environment, which nobody sees who lists the processes
             of this machine. A key with the scope read alone makes an assistant that cannot change anything

Serves the Model Context Protocol on standard input and output, for assistants: they upload, search, transform, tag and
delete with what the key may do. Assistants start it by themselves; docs/mcp.md says how to tell them.`;

export async function mcpCommand(
  args: string[],
  _config: () => Config,
  access: () => ServiceAccess,
): Promise<void> {
  const { values } = readArguments(args, serviceOptions);
  const named = namedService(values, access);
  if (!named) throw new UsageError('Say which service to use: TINTYPE_URL in the environment, or --server');
  const onError = (error: unknown): void => console.error(error);
  process.on('unhandledRejection', onError);
  const server = serveMcp({ service: connectService(named), load: serviceFetch, version, onError });
  const end = (): void => {
    setTimeout(() => process.exit(0), lastMs).unref();
    void server.close();
  };
  process.once('SIGTERM', end).once('SIGINT', end);
  process.stdin.once('end', end);
}
