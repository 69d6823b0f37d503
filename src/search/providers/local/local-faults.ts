// What an owner of an account is told when the models of this server do not do their work.
import { AppError } from '../../../platform/errors.ts';
import type { WorkerFailure } from '../../../platform/workers/worker-process.ts';
import { ProviderFault } from '../ai-provider.ts';
import type { LocalAnswer } from './local-protocol.ts';
import type { DownloadFailure } from './model-downloads.ts';
import type { NotUsable } from './model-files.ts';

const busyRetryMs = 1000;
const downloadRetryMs = 30_000;

export const fullMessage = 'Too many questions and pictures wait for the models of this server';

export function badName(setting: string): ProviderFault {
  return new ProviderFault(
    'settings',
    `${setting} must name a model below MODELS_DIR as the hub does, such as "owner/model"`,
  );
}

export function notUsable(model: string, why: NotUsable): ProviderFault {
  if ('unknownKind' in why) return wrongKind(model);
  const files = why.missing.join(', ');
  return new ProviderFault(
    'settings',
    `This server has no model ${model} (missing: ${files}): put it into the folder of the setting MODELS_DIR, ` +
      'or let the server fetch it with MODELS_DOWNLOAD=on',
  );
}

export function downloading(): ProviderFault {
  return new ProviderFault('busy', 'The models are being downloaded; try again in a while', downloadRetryMs);
}

export function notDownloaded(model: string, why: DownloadFailure['embedding']): ProviderFault {
  if (why === 'no_library') return noLibrary();
  if (why === 'wrong_kind') return wrongKind(model);
  if (why === 'not_on_hub') {
    return new ProviderFault(
      'settings',
      `The hub has no model ${model} for everybody, or not in the form for this server: choose another in ` +
        'LOCAL_EMBEDDING_MODEL, or put it into the folder of the setting MODELS_DIR',
    );
  }
  return new ProviderFault(
    'unavailable',
    `The model ${model} could not be downloaded; it will be tried again`,
  );
}

type Unanswered = Exclude<LocalAnswer, { kind: 'embedded' }> | WorkerFailure;

export function unanswered(outcome: Unanswered): ProviderFault {
  switch (outcome.kind) {
    case 'no_library':
      return noLibrary();
    case 'broken_model':
      return new ProviderFault(
        'settings',
        `The model ${outcome.model} in MODELS_DIR does not work: copy it there again, or choose another`,
      );
    case 'too_large':
      return new ProviderFault('settings', 'The models need more memory than this server allows them');
    case 'senseless':
      return new ProviderFault('answer', 'The model gave a vector without a direction');
    case 'undecodable':
      return new ProviderFault('picture', 'The model could not read the picture');
    case 'missing_picture':
      return new ProviderFault('unavailable', 'The picture was gone before the model could look at it');
    case 'too_slow':
      return new ProviderFault('unavailable', 'The models of this server took too long');
    case 'crashed':
    case 'not_started':
      return new ProviderFault('unavailable', 'The models of this server ended unexpectedly');
  }
}

/** What the queue throws. */
export function notTaken(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'overloaded') return full();
  return new ProviderFault('unavailable', 'The models of this server are being shut down');
}

export function full(): ProviderFault {
  return new ProviderFault('busy', fullMessage, busyRetryMs);
}

export function notWaitedFor(): ProviderFault {
  return new ProviderFault('unavailable', 'The models of this server did not answer in time');
}

function noLibrary(): ProviderFault {
  return new ProviderFault(
    'settings',
    'This server lacks the optional package @huggingface/transformers: install it with `npm install --include=optional`',
  );
}

function wrongKind(model: string): ProviderFault {
  return new ProviderFault(
    'settings',
    `The model ${model} is neither of the CLIP nor of the SigLIP family: choose another in LOCAL_EMBEDDING_MODEL`,
  );
}
