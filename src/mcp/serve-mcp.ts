// The MCP server: its tools over standard input and output, in the revision of the protocol that the assistant speaks.
import { McpServer, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Tintype } from '../../client/src/index.ts';
import { text } from './content.ts';
import { faultSentence } from './fault-sentence.ts';
import { inputSchema } from './input-schema.ts';
import type { Tool, ToolContext } from './tool.ts';
import { deleteObject } from './tools/delete-object.ts';
import { getAccount } from './tools/get-account.ts';
import { getObject } from './tools/get-object.ts';
import { listNames } from './tools/list-names.ts';
import { listObjects } from './tools/list-objects.ts';
import { searchPictures } from './tools/search-pictures.ts';
import { tagObjects } from './tools/tag-objects.ts';
import { transformImage } from './tools/transform-image.ts';
import { uploadObject } from './tools/upload-object.ts';

const tools: readonly Tool[] = [
  uploadObject,
  searchPictures,
  listObjects,
  getObject,
  transformImage,
  tagObjects,
  deleteObject,
  listNames,
  getAccount,
];

const instructions = `Tintype hosts the images and videos of one account. Every object has an id and a public address (object_url). Below it lie the original (object_url + "original"), a WebP version ("original.webp") and variants such as "w-800.webp"; transform_image makes and checks them. search_pictures finds pictures by what is to be seen on them, list_objects by tags and folder. Look at a picture with get_object before you say what is on it.`;

export type McpOptions = {
  readonly service: Tintype;
  readonly load: typeof fetch;
  readonly version: string;
  /** What the assistant is not told of, or only that it happened. */
  readonly onError: (error: unknown) => void;
};

export function serveMcp(options: McpOptions): { close(): Promise<void> } {
  return serveStdio(() => newServer(options), { onerror: options.onError });
}

function newServer(options: McpOptions): McpServer {
  const server = new McpServer(
    { name: 'tintype', title: 'Tintype', version: options.version },
    { instructions },
  );
  for (const tool of tools) {
    const { name, title, description, annotations } = tool;
    const about = { title, description, annotations, inputSchema: inputSchema(tool.input) };
    server.registerTool(name, about, (input, context) => runTool(tool, input, context, options));
  }
  return server;
}

async function runTool(
  tool: Tool,
  input: unknown,
  { mcpReq: request }: ServerContext,
  options: McpOptions,
): Promise<CallToolResult> {
  const { service, load, onError } = options;
  try {
    const context = { service, load, signal: request.signal, onProgress: progressOf(request, onError) };
    return { content: await tool.run(input, context) };
  } catch (error) {
    const sentence = faultSentence(error);
    if (sentence === undefined && !request.signal.aborted) onError(error);
    return {
      content: [text(sentence ?? 'Something went wrong in tintype mcp; its log says what.')],
      isError: true,
    };
  }
}

/** Told only to who asked for it. */
function progressOf(
  request: ServerContext['mcpReq'],
  onError: McpOptions['onError'],
): ToolContext['onProgress'] {
  const progressToken = request._meta?.progressToken;
  return (done, total) => {
    if (progressToken === undefined) return;
    const params = { progressToken, progress: done, ...(total === null ? {} : { total }) };
    request.notify({ method: 'notifications/progress', params }).catch(onError);
  };
}
