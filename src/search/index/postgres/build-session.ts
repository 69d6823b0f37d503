// A session for statements that take minutes, beside those of the service, whose statements may not.
import type { BuildSession } from './build-graph.ts';

export async function openBuildSession(url: string): Promise<BuildSession> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url, application_name: 'tintype', keepAlive: true });
  // Told to whoever waits for a statement; unheard, it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('set statement_timeout = 0');
  await client.query('set lock_timeout = 0');
  return {
    async query(text, values = []) {
      const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
      return rows;
    },
    end: () => void client.connection.stream.destroy(),
  };
}
