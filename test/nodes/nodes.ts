// Several nodes on one database and one pair of stores, as an operator would run them on several machines. The stores are folders
// that all share unless the environment names others (FILES_STORE, STORAGE_STORE, and what their credentials need).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../support/free-port.ts';
import { databaseOfFolder, dropDatabaseOfFolder, testDatabase } from '../support/test-database.ts';
import { TintypeNode } from './tintype-node.ts';

const passedOn = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(FILES_STORE|STORAGE_STORE|AWS_\w+|S3_\w+)$/.test(name)),
) as Record<string, string>;

/** False when there is a server; else why the test is skipped, said loudly. */
export const skipWithoutServer = ((): string | false => {
  if (/^postgres(ql)?:/.test(testDatabase)) return false;
  const message = 'SKIPPED: TEST_DATABASE names no PostgreSQL server, so nodes were NOT tried together';
  console.error(`\n!!! ${message}\n`);
  return message;
})();

export type NodesOptions = { count: number; environment?: Record<string, string>; databaseUrl?: string };

export class Nodes implements AsyncDisposable {
  readonly all: TintypeNode[] = [];
  /** Holds `files` and `storage`, and the data folder of each node. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly environment: Record<string, string>;

  /** Makes a database and folders; nodes are not started yet. */
  static async create({ count, environment = {}, databaseUrl }: NodesOptions): Promise<Nodes> {
    const folder = await mkdtemp(join(tmpdir(), 'tintype-nodes-'));
    const own = databaseUrl
      ? { SECRET_KEY: 'secret-key-of-tests-0000000000', DATABASE_URL: databaseUrl }
      : (await databaseOfFolder(folder)).environment;
    const nodes = new Nodes(folder, {
      ...own,
      FILES_STORE: `file:${folder}/files`,
      STORAGE_STORE: `file:${folder}/storage`,
      DATABASE_SESSIONS: '6',
      ...passedOn,
      ...environment,
    });
    for (let index = 0; index < count; index++) await nodes.add();
    return nodes;
  }

  static async start(options: NodesOptions): Promise<Nodes> {
    const nodes = await Nodes.create(options);
    try {
      await Promise.all(nodes.all.map((node) => node.start()));
      return nodes;
    } catch (error) {
      await nodes[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(folder: string, environment: Record<string, string>) {
    this.folder = folder;
    this.environment = environment;
    this.databaseUrl = environment['DATABASE_URL'] as string;
  }

  async add(environment: Record<string, string> = {}, args?: readonly string[]): Promise<TintypeNode> {
    const port = await freePort();
    const node = new TintypeNode({
      port,
      dataDir: join(this.folder, `node-${this.all.length + 1}`),
      environment: { ...this.environment, ...environment },
      ...(args ? { args } : {}),
    });
    this.all.push(node);
    return node;
  }

  /** Whether originals lie in folders this test can look into. */
  get hasLocalFiles(): boolean {
    return this.environment['FILES_STORE'] === `file:${this.folder}/files`;
  }

  /** Straight to the database, past every node. */
  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      return (await client.query(text, values)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map((node) => node.kill()));
    await dropDatabaseOfFolder(this.folder);
    await rm(this.folder, { recursive: true, force: true });
  }
}
