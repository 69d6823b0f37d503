// Secrets at rest: sealed with AES-256-GCM under a key derived from SECRET_KEY, so that a copy of the database alone
// reveals none of them; and where that key comes from when the operator sets none.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';

const version = 'v1';
const ivBytes = 12;
const tagBytes = 16;

export type SecretBox = {
  seal(plain: string): string;
  /** Throws when the text was changed or sealed under another key. */
  open(sealed: string): string;
  /** Tells keys apart without revealing them, for a start with the wrong one. */
  fingerprint: string;
};

export function createSecretBox(secretKey: string): SecretBox {
  const key = derive(secretKey, 'tintype secret box v1', 32);
  return {
    fingerprint: derive(secretKey, 'tintype secret key fingerprint', 8).toString('hex'),
    seal(plain) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(version));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${version}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed) {
      const [sealedBy, text = ''] = sealed.split('.', 2);
      const bytes = Buffer.from(text, 'base64url');
      if (sealedBy !== version || bytes.length < ivBytes + tagBytes)
        throw new Error('This is not a sealed secret');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes))
        .setAAD(Buffer.from(version))
        .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      try {
        return (
          decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
        );
      } catch (cause) {
        throw new Error('A stored secret cannot be opened: SECRET_KEY is not the one it was sealed with', {
          cause,
        });
      }
    },
  };
}

function derive(secretKey: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', purpose, bytes));
}

/** The configured key, or the one kept in the data folder, made at the first start. */
export async function loadSecretKey(options: {
  configured?: string | undefined;
  dataDir: string;
}): Promise<string> {
  if (options.configured) return options.configured;
  const file = join(options.dataDir, 'secret.key');
  const kept = await readKey(file);
  if (kept) return kept;
  await mkdir(options.dataDir, { recursive: true });
  await writeOnce(file, `${randomBytes(32).toString('base64url')}\n`);
  await syncFolder(options.dataDir);
  return (await readKey(file)) as string;
}

async function readKey(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  if (text.trim().length < 16) throw new Error(`${file} is damaged; restore it from a backup`);
  return text.trim();
}

/** The name appears only with the whole content, and of two processes starting at once the first one's key stands. */
async function writeOnce(file: string, content: string): Promise<void> {
  const staged = `${file}.${randomBytes(6).toString('hex')}`;
  {
    await using handle = await open(staged, 'wx', 0o600);
    await handle.writeFile(content);
    await handle.sync();
  }
  try {
    await link(staged, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(staged);
  }
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
