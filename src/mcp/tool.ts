// What a tool of the MCP server is: what an assistant reads of it, what it takes, and what it does with the service.
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import type { Static, TSchema } from 'typebox';
import type { Tintype } from '../../client/src/index.ts';

export type Content = CallToolResult['content'][number];

export type ToolContext = {
  readonly service: Tintype;
  /** For public addresses: never with the key. */
  readonly load: typeof fetch;
  /** The assistant has no more use for the answer. */
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number | null) => void;
};

export type Tool<Input extends TSchema = TSchema> = {
  readonly name: string;
  readonly title: string;
  /** For the assistant: when to use it, and what comes back. */
  readonly description: string;
  readonly input: Input;
  readonly annotations: ToolAnnotations;
  readonly run: (input: Static<Input>, context: ToolContext) => Promise<Content[]>;
};

/** Its own schema types what it takes; to the server all tools are alike. */
export function defineTool<Input extends TSchema>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** What the assistant did wrong, as a sentence it can act on. */
export class ToolFault extends Error {}

export const reads: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
