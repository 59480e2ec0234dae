/* nats.h: what load needs of the NATS client protocol: the operations that a server sends, read. */
#ifndef BENCH_NATS_H
#define BENCH_NATS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NATS_LINE_MAX (64u << 10) /* INFO is the longest line, and nowhere near this */

typedef enum { NATS_MSG, NATS_PING, NATS_PONG, NATS_ERR, NATS_OTHER } NatsKind;

typedef struct {
  NatsKind kind;
  size_t line, length;         /* bytes of its line without the end of it, and of all of it */
  size_t payload, payload_len; /* MSG: where its payload begins, and how long it is */
} NatsOp;

/* Reads the operation at `data`: 1 when it is there whole, 0 when bytes are missing, -1 when it cannot be right. */
static int nats_read(const uint8_t *data, size_t n, NatsOp *op) {
  static const char *const begins[] = {"MSG ", "PING", "PONG", "-ERR"};
  const uint8_t *end = memchr(data, '\n', n);
  if (!end) return n > NATS_LINE_MAX ? -1 : 0;
  if (end - data < 4 || end[-1] != '\r') return -1;
  op->line = end - 1 - data;
  op->length = op->line + 2;
  for (op->kind = NATS_MSG; op->kind < NATS_OTHER && memcmp(data, begins[op->kind], 4); op->kind++) {}
  if (op->kind != NATS_MSG) return 1;
  const uint8_t *digit = end - 1; /* MSG subject sid [reply-to] #bytes */
  op->payload = op->length;
  op->payload_len = 0;
  for (size_t ten = 1; *--digit >= '0' && *digit <= '9' && ten < 1000000000; ten *= 10)
    op->payload_len += ten * (*digit - '0');
  if (*digit != ' ') return -1;
  op->length += op->payload_len + 2;
  return n >= op->length;
}

#endif
