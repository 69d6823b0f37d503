// GET /create/<object_id>/<transformations>.<format>: makes a variant now and keeps it for good.
import { type TSchema, Type } from 'typebox';
import { toKilobytes } from '../accounts/units.ts';
import { findObject } from '../objects/find-object.ts';
import { objectUrl, type PublicUrls } from '../objects/object-json.ts';
import type { ObjectRow } from '../objects/tables.ts';
import type { Database } from '../platform/database/database.ts';
import { lockingRows } from '../platform/database/locking-rows.ts';
import { AppError } from '../platform/errors.ts';
import type { HttpApp } from '../platform/http/http-server.ts';
import { clientKind, settleFormat } from './address/negotiate-format.ts';
import type { OriginalImage } from './variants/original-image.ts';
import type { Variant, VariantRenderer } from './variants/render-variant.ts';
import { parseTransformation, printTransformation } from './address/transformation.ts';
import type { Presets, RequestedTransformation, VariantTransformation } from './address/transformation.ts';

const maxKeptPerObject = 200;

const Created = Type.Object({
  object_id: Type.String(),
  object_url: Type.String(),
  status: Type.Literal('success'),
  url: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  size: Type.Number({ description: 'Kilobytes' }),
  type: Type.String(),
  cached: Type.Boolean({ description: 'Whether it was there before' }),
});

export type CreateParts = {
  database: Database;
  urls: PublicUrls;
  variants: VariantRenderer;
  /** The picture of an object, or of a moment of a film. */
  originalOf: (object: ObjectRow, seconds?: number) => OriginalImage;
};

export function createRoute(app: HttpApp, { database, urls, variants, originalOf }: CreateParts): void {
  async function keep(object: ObjectRow, name: string, { fileName }: Variant): Promise<void> {
    const { backend, bucket_id: bucketId, generation } = object;
    const tooOld = await keepVariant(database, generation, name, fileName);
    if (tooOld === null) {
      // Deleted while it was rendered: what the worker wrote after the purge must not stay.
      await variants.removeVariants(bucketId, generation);
      throw new AppError('object_not_found');
    }
    const original = { backend, bucketId, generation };
    await variants.keepVariant(original, fileName);
    for (const file of tooOld) await variants.releaseVariant(original, file);
  }

  app.get(
    '/create/:object_id/:transformation',
    {
      config: { scope: 'write' },
      schema: {
        summary: 'Make a transformed image and keep it',
        tags: ['Images'],
        params: Type.Object({ object_id: Type.String(), transformation: Type.String() }),
        response: { 200: Created as TSchema },
      },
    },
    async (request) => {
      const { account_id: accountId, presets } = request.caller.account;
      const asked = parseTransformation(request.params.transformation, JSON.parse(presets) as Presets);
      const object = await findObject(database.read, accountId, request.params.object_id);
      const url = objectUrl(urls, object);
      const common = { object_id: object.object_id, object_url: url, status: 'success' };
      if (asked.kind === 'original') {
        const { width, height, type } = object;
        return {
          ...common,
          url: `${url}original`,
          width,
          height,
          size: toKilobytes(object.size_bytes),
          type,
          cached: true,
        };
      }
      const wanted = settle(asked, object, request.headers.accept);
      const mark = await findMark(database, accountId, wanted);
      const variant = await variants.getVariant(originalOf(object, wanted.tokens.t), wanted, {
        kept: true,
        mark: mark && originalOf(mark),
      });
      await variant.handle.close();
      const name = printTransformation(wanted);
      await keep(object, name, variant);
      const { width, height, size, mediaType, cached } = variant;
      return { ...common, url: url + name, width, height, size: toKilobytes(size), type: mediaType, cached };
    },
  );
}

async function findMark(
  database: Database,
  accountId: string,
  { tokens: { mark } }: VariantTransformation,
): Promise<ObjectRow | undefined> {
  if (mark === undefined) return undefined;
  const object = await findObject(database.read, accountId, mark);
  if (object.kind !== 'image') throw new AppError('object_not_found');
  return object;
}

export async function isKeptVariant(database: Database, generation: string, name: string): Promise<boolean> {
  const query = database.read.selectFrom('kept_variants').select('name');
  return (
    (await query.where('generation', '=', generation).where('name', '=', name).executeTakeFirst()) !==
    undefined
  );
}

function settle(
  asked: RequestedTransformation,
  object: ObjectRow,
  accept: string | undefined,
): VariantTransformation {
  if (asked.format === 'json')
    throw new AppError('invalid_transformation', 'There is nothing to make for json: read it at its address');
  return settleFormat(asked, object, clientKind(accept));
}

/** The files that are no longer kept; null when the object was deleted meanwhile, and nothing may be left that names it. */
async function keepVariant(
  database: Database,
  generation: string,
  name: string,
  file: string,
): Promise<string[] | null> {
  if (await isKeptVariant(database, generation, name)) return [];
  return database.write(async (tx) => {
    const row = tx.selectFrom('objects').select('generation').where('generation', '=', generation);
    // Held, so that it is not deleted in between.
    if (!(await lockingRows(tx, row).executeTakeFirst())) return null;
    await tx
      .insertInto('kept_variants')
      .values({ generation, name, file, created_at: Date.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const ofObject = tx
      .selectFrom('kept_variants')
      .select(['name', 'file'])
      .where('generation', '=', generation);
    const tooOld = await ofObject
      .orderBy('created_at', 'desc')
      .limit(1000)
      .offset(maxKeptPerObject)
      .execute();
    if (tooOld.length === 0) return [];
    const names = tooOld.map((row) => row.name);
    await tx
      .deleteFrom('kept_variants')
      .where('generation', '=', generation)
      .where('name', 'in', names)
      .execute();
    return tooOld.map((row) => row.file).filter((released) => released !== '');
  });
}
