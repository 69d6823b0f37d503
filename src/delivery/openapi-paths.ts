// The public addresses in the API's description: they are answered in front of the framework, which describes the rest.

export function publicAddressPaths(filesUrl: string): Record<string, object> {
  const path = (name: string): object => ({ name, in: 'path', required: true, schema: { type: 'string' } });
  const get = {
    summary: 'The original, the picture as the address describes it, or a film’s stream',
    description:
      'No key. `original` is the stored file; `original.webp` re-encodes; tokens joined by `_` transform, such as `h-200_w-200.webp`. Conditional and range requests work. Of a film these are its poster, or with `t-3.5` a frame; `original.m3u8` is its stream, `original.mp4` a file to download, `storyboard.vtt` its previews.',
    tags: ['Public addresses'],
    security: [],
    parameters: [
      path('bucket_id'),
      path('object_id'),
      path('transformation'),
      { name: 'dl', in: 'query', schema: { type: 'string' }, description: 'Download under this name' },
    ],
    responses: {
      200: {
        description: 'The picture',
        content: { 'image/*': { schema: { type: 'string', format: 'binary' } } },
      },
      '4XX': {
        description: 'The sentence says why',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
  return { '/{bucket_id}/{object_id}/{transformation}': { servers: [{ url: filesUrl }], get } };
}
