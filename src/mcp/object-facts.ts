// What of an object matters to an assistant, in the words of the API.
import type { ObjectDetails } from '../../client/src/index.ts';

export function objectFacts(object: ObjectDetails) {
  const { object_id, object_url, original_file_name, type, size, width, height, duration } = object;
  const { tags, folder, caption, status, created_at } = object;
  return {
    object_id,
    object_url,
    original_file_name,
    type,
    size_kb: size,
    width,
    height,
    duration_seconds: duration,
    tags,
    folder,
    caption,
    status,
    created_at,
  };
}
