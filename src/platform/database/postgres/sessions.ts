// What the rest of this folder needs of a PostgreSQL server: sessions to run statements in, and one that hears
// notifications. The service talks to a server through `pg` (pg-sessions.ts); tests may bring an engine of their own.

export type PostgresQuery = {
  readonly text: string;
  readonly values?: readonly unknown[];
};
export type PostgresResult = {
  rows: unknown[];
  changes: number;
  /** What the server says it did, where it says so: `COMMIT`, or `ROLLBACK` of what was asked to be committed. */
  command?: string;
};

export interface Session {
  /** Statements are sent as they come and run in that order; none waits for the answer to the one before. */
  query(query: PostgresQuery): Promise<PostgresResult>;
}

export interface PooledSession extends Session {
  /** Back to the others; one that may be broken, or in the middle of something, is thrown away. */
  release(options?: { broken: boolean }): void;
}

export type Notification = { channel: string; payload: string };

/** A session beside the others that hears notifications. */
export interface Watch extends Session {
  /** Called once, when the session has ended in whatever way. */
  onEnd(ended: () => void): void;
  end(): void;
}

export interface Sessions {
  /** Waits for its turn. Rejects at once while the server is away. */
  acquire(): Promise<PooledSession>;
  watch(channels: readonly string[], hear: (notification: Notification) => void): Promise<Watch>;
  /** The server does not answer: whatever is under way fails now, and so does all that comes until it is back. */
  setAway(away: boolean): void;
  close(): Promise<void>;
}
