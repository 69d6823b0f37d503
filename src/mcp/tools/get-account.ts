// What the account uses, what it may use, and whether its pictures can be searched.
import { Type } from 'typebox';
import { json } from '../content.ts';
import { defineTool, reads } from '../tool.ts';

export const getAccount = defineTool({
  name: 'get_account',
  title: 'Use and limits of the account',
  description:
    'Tells how much storage and video the account uses and may use (null is no limit), how many objects it has, its presets, and how far the analysis is that search needs.',
  input: Type.Object({}, { additionalProperties: false }),
  annotations: reads,
  run: async (_input, { service, signal }) => {
    const [account, analysis] = await Promise.all([
      service.account.get({ signal }),
      service.account.analysis({ signal }),
    ]);
    const { pictures, analysed, waiting, failed, ai_error } = analysis;
    return [
      json({
        email: account.email,
        tier: account.tier,
        object_count: account.object_count,
        storage_used_kb: account.storage_used,
        storage_limit_kb: account.storage_limit,
        video_minutes_used: account.video_minutes_used,
        video_minutes_limit: account.video_minutes_limit,
        requests_per_minute: account.rate_limit_per_minute,
        transform_policy: account.transform_policy,
        presets: account.presets,
        search: { enabled: account.ai_analysis, pictures, analysed, waiting, failed, error: ai_error },
      }),
    ];
  },
});
