/* ws.h: what both tools need of RFC 6455: the head of a frame, read and written, and its mask. */
#ifndef BENCH_WS_H
#define BENCH_WS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { OP_TEXT = 1, OP_BINARY = 2, OP_CLOSE = 8, OP_PING = 9, OP_PONG = 10 };

/* The longest head there is (§5.2): two bytes, eight of length, four of mask. */
#define HEAD_MAX 14
/* Both tools hold a whole frame in memory; nothing they are used for comes near this. */
#define FRAME_MAX (4u << 20)

typedef struct {
  int fin, opcode, masked;
  size_t head, length; /* bytes of the head, bytes of the payload behind it */
  uint8_t mask[4];
} Frame;

/* Reads the frame at `data`: 1 when it is there whole, 0 when bytes are missing, -1 when it cannot be right. */
static int frame_read(const uint8_t *data, size_t n, Frame *f) {
  if (n < 2) return 0;
  if (data[0] & 0x70) return -1; /* §5.2: reserved bits; neither tool negotiates an extension */
  f->fin = data[0] >> 7;
  f->opcode = data[0] & 15;
  f->masked = data[1] >> 7;
  uint64_t length = data[1] & 127;
  int extra = length == 126 ? 2 : length == 127 ? 8 : 0;
  f->head = 2 + extra + (f->masked ? 4 : 0);
  if (n < f->head) return 0;
  if (extra) length = 0;
  for (int i = 0; i < extra; i++) length = length << 8 | data[2 + i];
  if (length > FRAME_MAX) return -1;
  f->length = length;
  if (f->masked) memcpy(f->mask, data + 2 + extra, 4);
  return n - f->head >= f->length;
}

/* Writes the head of a final frame (masked when `mask` is given) and returns its length. */
static size_t frame_head(uint8_t *out, int opcode, size_t length, const uint8_t *mask) {
  int extra = length < 126 ? 0 : length < 65536 ? 2 : 8;
  out[0] = 0x80 | opcode;
  out[1] = (mask ? 0x80 : 0) | (extra == 0 ? length : extra == 2 ? 126 : 127);
  for (int i = 0; i < extra; i++) out[2 + i] = (uint64_t)length >> 8 * (extra - 1 - i);
  if (mask) memcpy(out + 2 + extra, mask, 4);
  return 2 + extra + (mask ? 4 : 0);
}

/* Masks or unmasks in place (§5.3), eight bytes at a time. */
static void frame_mask(uint8_t *data, size_t n, const uint8_t mask[4]) {
  uint64_t wide, word;
  memcpy(&wide, mask, 4);
  memcpy((uint8_t *)&wide + 4, mask, 4);
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    memcpy(&word, data + i, 8);
    word ^= wide;
    memcpy(data + i, &word, 8);
  }
  for (; i < n; i++) data[i] ^= mask[i & 3];
}

#endif
