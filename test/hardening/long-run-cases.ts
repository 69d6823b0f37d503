// Everything that reads a text from outside, given long runs: by itself as large as it may come, and in JSON over the API.
import assert from 'node:assert/strict';
import { parseIsoTime } from '../../src/accounts/units.ts';
import { parseRange } from '../../src/delivery/byte-range.ts';
import { clientKind, negotiateFormat } from '../../src/images/address/negotiate-format.ts';
import { MultipartFault, MultipartParser } from '../../src/lib/multipart-parser.ts';
import { assertPublicAddress } from '../../src/platform/egress/public-address.ts';
import { AppError } from '../../src/platform/errors.ts';
import { acceptsEncoding } from '../../src/platform/http/accepts-encoding.ts';
import { namesTag } from '../../src/platform/http/names-tag.ts';
import { wordsOfQuestion } from '../../src/search/analysis/picture-words.ts';
import { boundary } from '../support/multipart.ts';
import type { FuzzAccounts } from './fuzz-accounts.ts';
import { checkAddress } from './fuzz-addresses.ts';
import { checkField } from './fuzz-fields.ts';
import type { ApiRequest } from './hostile-requests.ts';
import { longRuns } from './long-runs.ts';
import { seededRandom } from '../support/random.ts';

/** A field of an upload may have this much, a header a quarter of it. */
export const fieldRuns = longRuns(64_000);
const headBytes = 16_000;
const jsonRunBytes = 100_000;

export function checkRun(text: string): void {
  checkField(text);
  const path = `/files/0123456789abcdef/cat/${text}`;
  checkAddress({ transformation: text, path, host: text, random: seededRandom(1) });
  const header = text.slice(0, headBytes);
  parseRange(`bytes=${header}`, 1000);
  namesTag(header, '"tag"');
  acceptsEncoding(header, 'br');
  negotiateFormat(clientKind(header), { alpha: true });
  parseIsoTime(header);
  assert.ok(wordsOfQuestion(header).length <= 16);
  for (const start of ['', 'http://', 'http://a.', 'http://a.b/'])
    refuses(AppError, () => publicAddress(start + header));
  for (const parameters of [
    header,
    `; name="file${header}`,
    `; name=${header}; filename="`,
    `; filename*=UTF-8''${header}`,
  ])
    refuses(MultipartFault, () => new MultipartParser(boundary).push(partWith(parameters)));
}

export function runRequests({ user, operator }: FuzzAccounts): ApiRequest[] {
  return longRuns(jsonRunBytes).flatMap((run) => {
    const text = JSON.stringify(run).slice(0, 1_000_000);
    const bodies = [
      ['POST', '/update/here', `{"tags":[],"folder":${text}}`, user],
      ['POST', '/update/here', `{"tags":[${text}]}`, user],
      ['PATCH', '/user/', `{"webhook_url":${text}}`, user],
      ['PATCH', '/user/', `{"openai_base_url":${text},"openai_caption_model":${text}}`, user],
      ['POST', '/keys/', `{"name":"x","expires_at":${text}}`, user],
      ['POST', '/accounts/', `{"email":${text}}`, operator],
    ] as const;
    return bodies.map(([method, url, body, key]): ApiRequest => ({
      method,
      url,
      key,
      type: 'application/json',
      body,
    }));
  });
}

function publicAddress(address: string): void {
  assertPublicAddress(address, { allowPrivate: false });
}

function partWith(parameters: string): Buffer {
  return Buffer.from(`--${boundary}\r\nContent-Disposition: form-data${parameters}\r\n\r\n`);
}

function refuses(kind: new (...args: never[]) => Error, look: () => void): void {
  try {
    look();
  } catch (error) {
    assert.ok(error instanceof kind, String(error));
  }
}
