// Files that are no pictures this service takes, whatever they are named: documents, scripts, archives, other formats.
import { gzipSync } from 'node:zlib';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const padded = (start: string) => Buffer.concat([latin1(start), Buffer.alloc(600)]);

export function htmlNamedJpg(): Buffer {
  return latin1('<!DOCTYPE html>\n<html><body><script>alert(document.domain)</script></body></html>\n');
}

export function svg(): Buffer {
  return latin1(
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><rect width="9" height="9"/></svg>',
  );
}

export function pdf(): Buffer {
  return latin1('%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n');
}

export function zip(): Buffer {
  return Buffer.concat([latin1('PK\x05\x06'), Buffer.alloc(18)]);
}

function isoMedia(brand: string, ...compatible: string[]): Buffer {
  const content = [brand, '\0\0\0\0', ...compatible].join('');
  return padded(`\0\0\0${String.fromCharCode(content.length + 8)}ftyp${content}`);
}

export function notPictures(): Record<string, Buffer> {
  return {
    'html.jpg': htmlNamedJpg(),
    'html-after-spaces.png': latin1('  \r\n\t<HTML><script>alert(1)</script>'),
    'html-after-byte-order-mark.gif': latin1('\xef\xbb\xbf<script>alert(1)</script>'),
    'html-utf16.jpg': Buffer.from('\ufeff<html><script>alert(1)</script></html>', 'utf16le'),
    'script.js.jpg': latin1('alert(document.cookie)//\n'),
    'shell-script.png': latin1('#!/bin/sh\nid\n'),
    'page.php.jpg': latin1('<?php system($_GET["c"]); ?>'),
    'drawing.svg.png': svg(),
    'drawing-with-prolog.svg': latin1(`<?xml version="1.0"?>\n<!-- hello -->\n${svg().toString()}`),
    'drawing-with-entities.svg': latin1(
      '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>',
    ),
    'drawing.svgz': gzipSync(svg()),
    'mvg.jpg': latin1(
      "push graphic-context\nviewbox 0 0 9 9\nfill 'url(https://example.com/x|id)'\npop graphic-context",
    ),
    'postscript.jpg': latin1('%!PS-Adobe-3.0 EPSF-3.0\n(id) (r) file\n'),
    'document.pdf.jpg': pdf(),
    'archive.zip.jpg': zip(),
    'playlist.mp4': latin1(
      '#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n',
    ),
    'ffconcat.mp4': latin1('ffconcat version 1.0\nfile /etc/passwd\n'),
    'concat.mp4': latin1('concat:/etc/passwd|/etc/hosts\n'),
    'session.sdp.mp4': latin1(
      'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nm=video 1 RTP/AVP 96\r\n',
    ),
    'pattern.mp4': latin1('/etc/%03d.png\n'),
    'one-letter.jpg': latin1('x'),
    'one-zero.jpg': Buffer.alloc(1),
    'zeros.jpg': Buffer.alloc(4096),
    'ones.jpg': Buffer.alloc(4096, 0xff),
    'tiff-little-endian.jpg': padded('II*\0\x08\0\0\0'),
    'tiff-big-endian.jpg': padded('MM\0*\0\0\0\x08'),
    'bitmap.jpg': padded('BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0'),
    'icon.png': padded('\0\0\x01\0\x01\0'),
    'photoshop.jpg': padded('8BPS\0\x01'),
    'jpeg-xl.jpg': padded('\xff\x0a\x7a'),
    'jpeg-2000.jpg': padded('\0\0\0\x0cjP  \r\n\x87\n'),
    'heic.jpg': isoMedia('heic', 'mif1', 'heic'),
    'heif-named-avif.avif': isoMedia('mif1', 'heic'),
    'sound.m4a.mp4': isoMedia('M4A ', 'mp42', 'isom'),
    'program.jpg': padded('\x7fELF\x02\x01\x01'),
    'sound.wav.webp': padded('RIFF\x24\0\0\0WAVEfmt '),
    'sound.mp3.gif': padded('ID3\x04\0'),
    'almost-a-jpeg.jpg': padded('\xff\xd8\x00'),
    'almost-a-png.png': padded('\x89PNG\n\x1a\n'),
    'almost-a-gif.gif': padded('GIF88a'),
  };
}
