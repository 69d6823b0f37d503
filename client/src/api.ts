// Written by `npm run docs` from /openapi.json and the catalogue of errors. Do not change it by hand.

export type StoredObject = {
  /** Base address of the object */
  object_url: string;
  /** Address of the original file */
  original: string;
  object_id: string;
  tags: readonly string[];
  /** Kilobytes */
  size: number;
  /** MIME type, decided by the bytes */
  type: string;
  folder: string | null;
  original_file_name: string;
  /** Address of the WebP version (images only) */
  optimised?: string;
  /** Pixels (images only) */
  height?: number;
  /** Pixels (images only) */
  width?: number;
  /** HLS address (videos only) */
  video_url?: string;
};

export type ObjectDetails = StoredObject & {
  created_at: string;
  status: string;
  caption?: string;
  /** Seconds (videos only) */
  duration?: number;
  /** Per cent of the processing that is done (videos only) */
  progress?: number;
  /** What can be played now, as far as it is known (videos only) */
  renditions?: readonly Rendition[];
  /** Why the processing failed (videos only) */
  error?: string;
  /** A blurred likeness in about 25 bytes, base 64 */
  thumbhash?: string;
  /** The colour there is most of, as #rrggbb */
  dominant_color?: string;
};

export type Rendition = {
  name: string;
  width: number;
  height: number;
  /** Bits per second at most */
  bandwidth: number;
};

export type ListingPage = {
  page: number;
  page_size: number;
  objects: readonly string[];
  urls: readonly string[];
  thumbnails: readonly string[];
  items?: readonly ObjectDetails[];
};

export type SearchResult = {
  /** The query as sent */
  query: string;
  count: number;
  objects: readonly string[];
  urls: readonly string[];
  thumbnails: readonly string[];
  captions: readonly string[];
  similarities: readonly number[];
};

export type NameWithCount = { name: string; count: number };

export type ChangedObject = { object_id: string; object_url: string; status: 'success' };

export type BulkResult = {
  results: readonly { object_id: string; status: 'success' | 'error'; error?: string }[];
};

export type CreatedVariant = ChangedObject & {
  url: string;
  width: number;
  height: number;
  /** Kilobytes */
  size: number;
  type: string;
  /** Whether it was there before */
  cached: boolean;
};

export type UploadToken = {
  /** Goes where a key would: `Authorization: Bearer …` */
  token: string;
  /** For multipart form data */
  upload_url: string;
  /** For tus clients */
  resumable_url: string;
  expires_at: string;
};

export type Account = {
  account_id: string;
  email: string;
  tier: 'free' | 'pro' | 'enterprise';
  bucket_id: string;
  storage_backend: 'files' | 'storage';
  /** Kilobytes */
  storage_used: number;
  /** Kilobytes; null is no limit */
  storage_limit: number | null;
  video_minutes_used: number;
  /** Null is no limit */
  video_minutes_limit: number | null;
  object_count: number;
  /** API requests; null is no limit */
  rate_limit_per_minute: number | null;
  ai_analysis: boolean;
  ai_provider: 'openai' | 'local';
  ai_key_configured: boolean;
  /** Why pictures are not analysed at present */
  ai_error: string | null;
  /** Null follows the server’s setting, as in the next three */
  openai_base_url: string | null;
  openai_caption_model: string | null;
  openai_embedding_model: string | null;
  openai_embedding_dimensions: number | null;
  transform_policy: 'open' | 'presets' | 'signed';
  /** Name → tokens */
  presets: Readonly<Record<string, string>>;
  webhook_url: string | null;
  created_at: string;
};

export type ChangedAccount = Account & {
  /** Only when it was just made */
  webhook_secret?: string;
  /** Only when it was just made */
  signing_secret?: string;
};

export type AnalysisProgress = {
  ai_analysis: boolean;
  /** Provider and model of the vectors */
  model: string;
  /** All pictures of the account */
  pictures: number;
  /** Those that can be found by describing them */
  analysed: number;
  /** Those that are yet to be analysed */
  waiting: number;
  /** Those that were given up */
  failed: number;
  /** The last of them */
  failures: readonly { object_id: string; error: string }[];
  /** Why pictures are not analysed at present */
  ai_error: string | null;
  /** When the provider is asked again */
  paused_until: string | null;
};

export type Session = {
  key_id: string;
  scopes: readonly ('read' | 'write' | 'account' | 'operator')[];
  /** Later with every look at it, until 30 days after signing in */
  expires_at: string;
};

export type NewKey = {
  key_id: string;
  name: string;
  scopes: readonly string[];
  created_at: string;
  expires_at: string | null;
  /** Shown this once */
  api_key: string;
};

export type Key = {
  key_id: string;
  name: string;
  scopes: readonly string[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
};

export type NewWebhook = {
  webhook_id: string;
  url: string;
  events: readonly string[];
  enabled: boolean;
  /** Shown this once */
  secret: string;
};

export type Webhook = {
  webhook_id: string;
  url: string;
  events: readonly string[];
  enabled: boolean;
  disabled_reason: string | null;
  /** `settings`: the account’s `webhook_url` */
  source: 'api' | 'settings';
  created_at: string;
};

export type DeliveryPage = { deliveries: readonly Delivery[] };

export type Delivery = {
  /** What receivers see as `webhook-id` */
  delivery_id: string;
  type: string;
  state: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  next_attempt_at: string | null;
  /** Of the last attempt; null when there was no answer */
  status: number | null;
  error: string | null;
  duration_ms: number | null;
  created_at: string;
  delivered_at: string | null;
  /** What is sent */
  payload: unknown;
};

export type NewAccount = Account & { api_key: string };

export type AccountRecord = Account & {
  /** New variants; null is no limit */
  variants_per_minute: number | null;
  enabled: boolean;
  /** When a deleted account is erased for good */
  erase_at: string | null;
};

/** Every operation, with what it takes and what it answers. */
export type Operations = {
  /** Whether the process runs */
  'GET /health/live': { answer: { status: string; checks?: Readonly<Record<string, string>> } };

  /** Whether it can serve */
  'GET /health/ready': { answer: { status: string; checks?: Readonly<Record<string, string>> } };

  /** Upload an image or video */
  'POST /upload/': { answer: StoredObject };

  /** Begin a resumable upload */
  'POST /upload/resumable': { answer: undefined };

  /** What became of a resumable upload */
  'GET /upload/resumable/{upload_id}': { path: { upload_id: string }; answer: StoredObject };

  /** Send bytes of a resumable upload */
  'PATCH /upload/resumable/{upload_id}': { path: { upload_id: string }; answer: StoredObject };

  /** Give up a resumable upload */
  'DELETE /upload/resumable/{upload_id}': { path: { upload_id: string }; answer: undefined };

  /** Upload an image or video from an address */
  'POST /upload/url': {
    body: { url: string; tags?: readonly string[] | string; folder?: string; object?: string };
    answer: StoredObject;
  };

  /** Make a token for one upload */
  'POST /upload/sign': {
    body: {
      folder?: string;
      tags?: readonly string[] | string;
      object?: string;
      max_bytes?: number;
      /** Seconds in which the upload must begin */
      expires_in?: number;
      type?: 'image' | 'video';
    };
    answer: UploadToken;
  };

  /** List objects, newest first */
  'GET /get/': {
    query: {
      page?: number;
      page_size?: number;
      /** Repeated or comma-separated; an object must carry all */
      tags?: readonly string[];
      /** Exactly this folder */
      folder?: string;
      type?: 'image' | 'video';
      /** Walks a whole library: empty to begin, then as in the Link header */
      cursor?: string;
      view?: 'full';
    };
    answer: ListingPage;
  };

  /** Objects that carry all given tags */
  'GET /get/tags': {
    query: {
      page?: number;
      page_size?: number;
      /** Repeated or comma-separated; an object must carry all */
      tags?: readonly string[];
      /** Exactly this folder */
      folder?: string;
      type?: 'image' | 'video';
      /** Walks a whole library: empty to begin, then as in the Link header */
      cursor?: string;
      view?: 'full';
    };
    answer: ListingPage;
  };

  /** Names of all tags, with how many objects have them */
  'GET /tags/': { answer: { tags: readonly NameWithCount[] } };

  /** Names of all folders, with how many objects have them */
  'GET /folders/': { answer: { folders: readonly NameWithCount[] } };

  /** Find pictures by describing them */
  'GET /get/search': {
    query: {
      /** What to look for, in plain language */
      q?: string;
      /** Instead of q: the id of a picture that others are to be like */
      like?: string;
      /** Least similarity, from 0 to 1 */
      threshold?: number;
      limit?: number;
      /** Repeated or comma-separated; an object must carry all */
      tags?: readonly string[];
      /** Exactly this folder */
      folder?: string;
      /** hybrid: exact hits in tags, file name and caption come first */
      mode?: 'vector' | 'hybrid';
    };
    answer: SearchResult;
  };

  /** How far the analysis of pictures is */
  'GET /analysis/': { answer: AnalysisProgress };

  /** Have pictures without an analysis tried again */
  'POST /analysis/': { answer: AnalysisProgress };

  /** One object with all that is known of it */
  'GET /get/{object_id}': { path: { object_id: string }; answer: ObjectDetails };

  /** Replace the tags (and folder) of an object */
  'POST /update/{object_id}': {
    path: { object_id: string };
    body: { tags: readonly string[]; folder?: string | null };
    answer: ChangedObject;
  };

  /** Delete an object */
  'DELETE /delete/{object_id}': { path: { object_id: string }; answer: ChangedObject };

  /** Delete or tag many objects */
  'POST /bulk/': {
    body: { action: 'delete' | 'tag' | 'untag'; objects: readonly string[]; tags?: readonly string[] };
    answer: BulkResult;
  };

  /** Make a transformed image and keep it */
  'GET /create/{object_id}/{transformation}': {
    path: { object_id: string; transformation: string };
    answer: CreatedVariant;
  };

  /** The account of this key */
  'GET /user/': { answer: Account };

  /** Change settings */
  'PATCH /user/': {
    body: {
      email?: string;
      storage_backend?: 'files' | 'storage';
      ai_analysis?: boolean;
      ai_provider?: 'openai' | 'local';
      openai_api_key?: string | null;
      openai_base_url?: string | null;
      openai_caption_model?: string | null;
      openai_embedding_model?: string | null;
      openai_embedding_dimensions?: number | null;
      transform_policy?: 'open' | 'presets' | 'signed';
      /** Name → tokens; replaces all presets, null clears them */
      presets?: Readonly<Record<string, string>> | null;
      webhook_url?: string | null;
    };
    answer: ChangedAccount;
  };

  /** List the webhooks, without their secrets */
  'GET /webhooks/': { answer: { webhooks: readonly Webhook[] } };

  /** Make a webhook */
  'POST /webhooks/': {
    body: {
      url: string;
      /** What to be told of; left out, `video.ready` and `video.failed` */
      events?: readonly (
        | 'video.ready'
        | 'video.failed'
        | 'object.created'
        | 'object.deleted'
        | 'image.analyzed'
        | 'storage.warning'
      )[];
    };
    answer: NewWebhook;
  };

  /** Delete a webhook */
  'DELETE /webhooks/{webhook_id}': {
    path: { webhook_id: string };
    answer: { webhook_id: string; status: string };
  };

  /** Give a webhook a new secret; the old one signs too for 24 hours */
  'POST /webhooks/{webhook_id}/rotate': { path: { webhook_id: string }; answer: NewWebhook };

  /** Send a `webhook.test` event now */
  'POST /webhooks/{webhook_id}/test': { path: { webhook_id: string }; answer: Delivery };

  /** Deliveries of the last 30 days, newest first */
  'GET /webhooks/{webhook_id}/deliveries': {
    path: { webhook_id: string };
    query: {
      limit?: number;
      /** As in the Link header */
      cursor?: string;
    };
    answer: DeliveryPage;
  };

  /** Send a delivery again, under the same id */
  'POST /webhooks/{webhook_id}/deliveries/{delivery_id}/resend': {
    path: { webhook_id: string; delivery_id: string };
    answer: Delivery;
  };

  /** Who is signed in */
  'GET /session/': { answer: Session };

  /** Sign in with a key */
  'POST /session/': { body: { api_key: string }; answer: Session };

  /** Sign out */
  'DELETE /session/': { answer: { status: string } };

  /** List the keys, without their secrets */
  'GET /keys/': { answer: { keys: readonly Key[] } };

  /** Make a key */
  'POST /keys/': {
    body: {
      name: string;
      scopes?: readonly ('read' | 'write' | 'account' | 'operator')[];
      expires_at?: string | null;
    };
    answer: NewKey;
  };

  /** Revoke a key at once */
  'DELETE /keys/{key_id}': { path: { key_id: string }; answer: { key_id: string; status: string } };

  /** Give a key a new secret */
  'POST /keys/{key_id}/rotate': {
    path: { key_id: string };
    body: {
      /** How long the old secret stays good */
      grace_seconds?: number;
    } | null;
    answer: NewKey;
  };

  /** List all accounts */
  'GET /accounts/': { answer: { accounts: readonly AccountRecord[] } };

  /** Make an account */
  'POST /accounts/': {
    body: {
      email: string;
      tier?: 'free' | 'pro' | 'enterprise';
      /** Kilobytes; null follows the tier */
      storage_limit?: number | null;
      /** Minutes of video; null follows the tier */
      video_minutes_limit?: number | null;
      /** API requests; null follows the tier */
      rate_limit_per_minute?: number | null;
      /** New variants; null follows the tier */
      variants_per_minute?: number | null;
    };
    answer: NewAccount;
  };

  /** One account */
  'GET /accounts/{account_id}': { path: { account_id: string }; answer: AccountRecord };

  /** Change tier, limits, or whether it is enabled */
  'PATCH /accounts/{account_id}': {
    path: { account_id: string };
    body: {
      tier?: 'free' | 'pro' | 'enterprise';
      /** Kilobytes; null follows the tier */
      storage_limit?: number | null;
      /** Minutes of video; null follows the tier */
      video_minutes_limit?: number | null;
      /** API requests; null follows the tier */
      rate_limit_per_minute?: number | null;
      /** New variants; null follows the tier */
      variants_per_minute?: number | null;
      /** True also takes back a deletion */
      enabled?: boolean;
    };
    answer: AccountRecord;
  };

  /** Disable now, erase after 7 days */
  'DELETE /accounts/{account_id}': {
    path: { account_id: string };
    answer: { account_id: string; status: string; erase_at: string };
  };
};

export type ErrorCode =
  | 'invalid_api_key'
  | 'account_disabled'
  | 'scope_too_small'
  | 'storage_limit_exceeded'
  | 'video_limit_exceeded'
  | 'analysis_off'
  | 'ai_key_missing'
  | 'transformation_not_allowed'
  | 'bad_request'
  | 'invalid_json'
  | 'invalid_multipart'
  | 'invalid_object_id'
  | 'invalid_transformation'
  | 'file_missing'
  | 'file_empty'
  | 'not_found'
  | 'object_not_found'
  | 'video_processing'
  | 'video_failed'
  | 'key_not_found'
  | 'account_not_found'
  | 'upload_not_found'
  | 'webhook_not_found'
  | 'delivery_not_found'
  | 'method_not_allowed'
  | 'headers_too_slow'
  | 'body_too_slow'
  | 'object_id_in_use'
  | 'offset_conflict'
  | 'upload_unfinished'
  | 'too_many_uploads'
  | 'upload_token_spent'
  | 'too_many_webhooks'
  | 'webhook_disabled'
  | 'conflict'
  | 'tus_version'
  | 'file_too_large'
  | 'body_too_large'
  | 'not_multipart'
  | 'not_json'
  | 'not_offset_stream'
  | 'unsupported_type'
  | 'range_not_satisfiable'
  | 'expectation_failed'
  | 'undecodable'
  | 'source_unavailable'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal'
  | 'not_implemented'
  | 'provider_failed'
  | 'overloaded'
  | 'database_unavailable'
  | 'shutting_down'
  | 'storage_unavailable'
  | 'disk_full';
