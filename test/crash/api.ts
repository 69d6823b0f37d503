// HTTP as these suites need it: an answer that came whole, or null when the connection broke before its end, so that
// nobody knows whether the request took effect.

export const operatorKey = 'operator-key-for-crash-tests';

export type Answer = { status: number; headers: Headers; bytes: Buffer };
export type Request = { method?: string; body?: FormData | object; headers?: Record<string, string> };

export class Api {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async send(path: string, { method = 'GET', body, headers = {} }: Request = {}): Promise<Answer | null> {
    const isForm = body instanceof FormData;
    try {
      const response = await fetch(this.url + path, {
        method,
        headers: {
          Authorization: `Bearer ${operatorKey}`,
          ...(body && !isForm ? { 'Content-Type': 'application/json' } : {}),
          ...headers,
        },
        ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      return { status: response.status, headers: response.headers, bytes };
    } catch {
      return null;
    }
  }

  /** For requests that must succeed. */
  async ask(path: string, request?: Request): Promise<Answer> {
    const answer = await this.send(path, request);
    if (answer?.status === 200) return answer;
    throw new Error(`${request?.method ?? 'GET'} ${path}: ${describe(answer)}`);
  }

  async askJson<T>(path: string, request?: Request): Promise<T> {
    return json<T>(await this.ask(path, request));
  }
}

export function json<T>(answer: Answer): T {
  return JSON.parse(answer.bytes.toString()) as T;
}

export function describe(answer: Answer | null): string {
  return answer ? `${answer.status} ${answer.bytes.toString('utf8').slice(0, 300)}` : 'no answer';
}
