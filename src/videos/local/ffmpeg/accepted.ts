// What is let near FFmpeg. The type that the first bytes told decides the one demuxer, so that no playlist, script or
// pattern of names is ever followed; and only decoders of codings that films of today and yesterday come in are opened.
import type { FilmType } from '../../film.ts';

const mov = 'mov,mp4,m4a,3gp,3g2,mj2';
const matroska = 'matroska,webm';

/** By FFmpeg's whole name: `format_whitelist` is compared with it. */
export const demuxers: Record<FilmType, string> = {
  'video/mp4': mov,
  'video/x-m4v': mov,
  'video/quicktime': mov,
  'video/3gpp': mov,
  'video/3gpp2': mov,
  'video/x-msvideo': 'avi',
  'video/x-matroska': matroska,
  'video/webm': matroska,
  'video/mp2t': 'mpegts',
  'video/mpeg': 'mpeg',
  'video/x-flv': 'flv',
  'video/x-ms-wmv': 'asf',
  'video/ogg': 'ogg',
};

const pictureDecoders = `
  h264 hevc libdav1d av1 vp8 vp9 libvpx-vp8 libvpx-vp9 vvc
  mpeg4 mpeg2video mpeg1video h263 h263p mjpeg theora vp6 vp6f vp6a flv
  msmpeg4v1 msmpeg4v2 msmpeg4 wmv1 wmv2 wmv3 vc1 svq1 svq3 cinepak
  prores dnxhd dvvideo ffv1 huffyuv ffvhuff utvideo qtrle rawvideo png`;

const soundDecoders = `
  aac aac_latm mp3 mp3float mp2 mp2float mp1 ac3 eac3 opus libopus vorbis
  flac alac dca truehd amrnb amrwb wmav1 wmav2 wmapro nellymoser speex
  adpcm_ms adpcm_ima_wav adpcm_ima_qt adpcm_swf pcm_alaw pcm_mulaw pcm_u8 pcm_s8
  pcm_s16le pcm_s16be pcm_s24le pcm_s24be pcm_s32le pcm_s32be pcm_f32le pcm_f32be pcm_bluray pcm_dvd`;

export const decoderNames: readonly string[] = `${pictureDecoders} ${soundDecoders}`.trim().split(/\s+/);
export const decoderWhitelist = decoderNames.join(',');

export const limits = {
  streams: 64,
  side: 8192,
  pixels: 40_000_000,
  frameRate: 1000,
  bitRate: 100_000_000,
  /** Below it, no film lasts as long as its header says. */
  leastBitRate: 50,
  durationMs: 24 * 3_600_000,
} as const;
