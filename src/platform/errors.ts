// Every error a client can see: a stable code, its status and a sentence a person can act on. Nothing else answers errors.

const catalogue = {
  invalid_api_key: [401, 'Invalid or missing API key'],
  account_disabled: [403, 'This account is disabled; ask the operator to enable it'],
  scope_too_small: [403, 'This API key does not have the scope this request needs'],
  storage_limit_exceeded: [403, 'Storage limit exceeded'],
  video_limit_exceeded: [403, 'Video limit exceeded'],
  analysis_off: [403, 'AI analysis not enabled for this user'],
  ai_key_missing: [403, 'OpenAI API key not configured'],
  transformation_not_allowed: [403, 'This account does not allow this transformation'],
  bad_request: [400, 'The request is not valid'],
  invalid_json: [400, 'The request body is not valid JSON'],
  invalid_multipart: [400, 'The multipart body is not valid or was cut short'],
  invalid_object_id: [400, 'Invalid object id'],
  invalid_transformation: [400, 'The transformation is not valid'],
  file_missing: [400, 'Send the image or video as the multipart part "file"'],
  file_empty: [400, 'The file is empty'],
  not_found: [404, 'There is nothing at this address'],
  object_not_found: [404, 'Object not found'],
  video_processing: [404, 'Video is still processing'],
  video_failed: [404, 'Video processing failed'],
  key_not_found: [404, 'Key not found'],
  account_not_found: [404, 'Account not found'],
  upload_not_found: [404, 'Upload not found; it was never begun, has ended or has expired'],
  webhook_not_found: [404, 'Webhook not found'],
  delivery_not_found: [404, 'Delivery not found'],
  method_not_allowed: [405, 'This address does not accept this method'],
  headers_too_slow: [408, 'The head of the request took longer than 10 seconds'],
  body_too_slow: [408, 'The upload was slower than 1 KB per second for 30 seconds'],
  object_id_in_use: [409, 'Object id already in use'],
  offset_conflict: [
    409,
    'The upload does not stand where this request begins; ask with HEAD how many bytes have come, and go on from there',
  ],
  upload_unfinished: [409, 'The upload is not complete yet; send the rest of its bytes'],
  too_many_uploads: [
    409,
    'The account has too many unfinished uploads; finish or delete some, or wait a day until they expire',
  ],
  upload_token_spent: [409, 'This upload token has been used for another upload; ask for a new one'],
  too_many_webhooks: [409, 'An account can have at most 20 webhooks; delete one first'],
  webhook_disabled: [
    409,
    'This webhook was switched off because its receiver answered 410; set its address again, or make a new one',
  ],
  conflict: [409, 'The request conflicts with the current state'],
  tus_version: [
    412,
    'Send the header "Tus-Resumable: 1.0.0"; this server speaks version 1.0.0 of the protocol',
  ],
  file_too_large: [413, 'File too large'],
  body_too_large: [413, 'The request body is too large'],
  not_multipart: [415, 'Send the upload as multipart/form-data'],
  not_json: [415, 'Send the body as application/json'],
  not_offset_stream: [415, 'Send the bytes as application/offset+octet-stream'],
  unsupported_type: [415, 'This is not a supported image or video'],
  range_not_satisfiable: [416, 'The requested range lies outside the file'],
  expectation_failed: [417, 'The Expect header asks for something this server does not do'],
  undecodable: [422, 'The file cannot be decoded'],
  source_unavailable: [422, 'The file could not be fetched'],
  rate_limited: [429, 'Rate limit exceeded'],
  headers_too_large: [431, 'The request headers are too large'],
  internal: [500, 'Something went wrong on our side; the request id helps to find it in the log'],
  not_implemented: [501, 'This server does not have this feature'],
  provider_failed: [502, 'The AI provider did not answer as expected; try again later'],
  overloaded: [503, 'The server is busy; try again in a moment'],
  database_unavailable: [503, 'The database does not answer at present; try again in a moment'],
  shutting_down: [503, 'The server is restarting; try again in a moment'],
  storage_unavailable: [503, 'The storage does not answer at present; try again soon'],
  disk_full: [507, 'The server has no room left to store this; nothing was kept'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof catalogue;
export const errorCodes = Object.keys(catalogue) as readonly ErrorCode[];

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message?: string,
    options: { headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    const [status, sentence] = catalogue[code];
    const { stackTraceLimit } = Error;
    // Where it was thrown tells nobody anything, and to find out costs more than most refusals.
    if (isExpected(status)) Error.stackTraceLimit = 0;
    super(message ?? sentence, options.cause === undefined ? {} : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'AppError';
    this.code = code;
    this.status = status;
    this.headers = options.headers ?? {};
  }
}

/** The client's doing, one of too many, or of somebody we depend on: not a fault of ours. */
export function isExpected(status: number): boolean {
  return status < 500 || status === 502 || status === 503;
}

/** A problem that whoever runs the program can mend: its message is shown as it is, without a stack. */
export class OperatorError extends Error {}

/** What waits or retries must be told when, in whole seconds of at least one. */
export function retryAfter(seconds: number): { headers: { 'Retry-After': string } } {
  return { headers: { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) } };
}
