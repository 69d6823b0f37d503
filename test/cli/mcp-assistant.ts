// An assistant for tests: the protocol's own client, with the real command in a process of its own behind it.
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const project = fileURLToPath(new URL('../..', import.meta.url));

export type ToolAnswer = {
  isError: boolean;
  /** All that was said, one after another. */
  text: string;
  /** The facts of it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read JSON of many shapes
  json: any;
  images: { bytes: Buffer; mimeType: string }[];
};

export type Assistant = AsyncDisposable & {
  readonly client: Client;
  readonly pid: number;
  /** All it has written to standard error, once it has ended. */
  readonly errors: Promise<string>;
  call(
    name: string,
    input?: Record<string, unknown>,
    options?: Parameters<Client['callTool']>[1],
  ): Promise<ToolAnswer>;
};

export async function startAssistant(
  environment: Record<string, string>,
  options: { args?: string[]; revision?: 'legacy' | { pin: string } } = {},
): Promise<Assistant> {
  const transport = new StdioClientTransport({
    command: 'sh',
    args: ['scripts/node', 'bin/tintype.js', 'mcp', ...(options.args ?? [])],
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    cwd: project,
    stderr: 'pipe',
  });
  const errors = text(transport.stderr as Readable);
  const mode = options.revision ?? 'legacy';
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    client,
    pid: transport.pid as number,
    errors,
    async call(name, input = {}, callOptions) {
      return answerOf(await client.callTool({ name, arguments: input }, callOptions));
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function answerOf({ content, isError }: Awaited<ReturnType<Client['callTool']>>): ToolAnswer {
  const texts = content.flatMap((one) => (one.type === 'text' ? [one.text] : []));
  const images = content.flatMap((one) =>
    one.type === 'image' ? [{ bytes: Buffer.from(one.data, 'base64'), mimeType: one.mimeType }] : [],
  );
  const facts = texts.find((each) => /^[{[]/.test(each));
  return {
    isError: isError === true,
    text: texts.join('\n'),
    json: facts === undefined ? undefined : JSON.parse(facts),
    images,
  };
}

export function assertFails({ isError, text: said }: ToolAnswer, sentence: RegExp): void {
  assert.equal(isError, true, said);
  assert.match(said, sentence);
}

export function assertSucceeds(answer: ToolAnswer): ToolAnswer {
  assert.equal(answer.isError, false, answer.text);
  return answer;
}
