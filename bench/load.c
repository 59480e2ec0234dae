/* load: a closed-loop WebSocket load generator for a MEW gateway, or a peer of it, on loopback.
 *
 *   load --port N [--mode fanout|pair|idle|stream] [options]       `load --help` lists them
 *
 * fanout: the first clients publish in turn, everybody receives, the last client is the probe: at most `window`
 *         envelopes are on their way between all publishers and the probe. A round trip is a fanout of two clients
 *         with a window of one. With `--spaces` the clients are divided among so many, and each has its own window.
 * pair:   client 2k addresses client 2k+1 (`to`), `window` envelopes on their way per pair.
 * idle:   connects, prints its line, then holds every connection (and answers pings) until stdin closes.
 * stream: every client opens a stream to itself, prints its line, then writes `rate` frames of `bytes` a second to it
 *         until stdin closes, and prints what came back.
 *
 * The envelopes are the same for every server; in `--protocol nats` each is the payload of a PUB.
 *
 * Prints one line of JSON. Latency is from handing an envelope to the socket to reading it at the probe. Whatever is
 * not as it should be ends the run with a sentence and status 1: a refused handshake, a close, a `system/error`, a
 * malformed frame, a server that falls silent, an envelope that somebody did not receive exactly once, a frame of a
 * stream that is lost or out of order.
 */
#define _GNU_SOURCE
#include "nats.h"
#include "ws.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define DIGITS 12          /* of the sequence number that ends every envelope's id */
#define RING (1u << 20)    /* send times are kept for this many envelopes: more than can be on their way */
#define PAYLOAD_MAX (256 << 10)
#define PATIENCE_NS 5000000000ull /* a server silent for this long while envelopes are on their way has failed */
#define STDIN UINT32_MAX
#define TAIL "\"format\":\"plain\"}}" /* how every envelope ends */

typedef struct {
  int fd, blocked, welcomed;
  uint64_t received;  /* own envelopes, warm-up included */
  uint8_t *rest;      /* the beginning of a frame that has not arrived whole */
  size_t rest_len;
  uint8_t *out;       /* what is to be written, from `out_at` on */
  size_t out_at, out_len, out_room;
  char *message;      /* what it publishes: its envelope, complete but for the number, as the protocol wants it */
  size_t message_len, number_at;
  uint8_t *held;      /* NATS: the beginning of an operation that ended with no frame */
  size_t held_len;
  char stream[80];    /* how every frame of its stream begins, `#id#`; empty until it is open */
  uint64_t written;   /* frames */
} Client;

/* One closed loop: `window` envelopes between its publishers, its first clients, and its probe, its last one. */
typedef struct {
  int first, turn, probe;
  uint32_t on_their_way;
  uint64_t sent;
} Lane;

enum mode { FANOUT, PAIR, IDLE, STREAM };
static const char *const mode_names[] = {"fanout", "pair", "idle", "stream"};

/* What is spoken inside the frames: all that a server which is no MEW gateway needs of this program. */
typedef struct {
  const char *name;
  int opcode;                        /* of the frames that it sends */
  void (*greet)(int client);         /* says what must be said first */
  void (*wrap)(int client, const char *envelope, size_t n); /* fills in the client's message */
  void (*on_data)(int client, int opcode, const uint8_t *data, size_t n); /* what a data frame brought */
} Protocol;

static const Protocol protocols[3]; /* mew, nats, and one without a name */

static struct {
  enum mode mode;
  const Protocol *protocol;
  int port, clients, spaces, publishers, ids, first, rate, want_welcome, careful, in_turn, server;
  uint32_t window, bytes;
  double seconds, warm_up;
  const char *path, *token, *id;
} opt = {.protocol = protocols, .clients = 50, .spaces = 1, .publishers = 1, .rate = 64, .window = 64, .bytes = 256,
         .seconds = 3, .warm_up = 1, .path = "/ws?space=bench&participant_id=p%d", .token = "token-p%d", .id = "p%d"};

static Client *clients;
static Lane *lanes;
static int lane_count, lane_size, welcomes, streams, poller, measuring;
static char prefix[80];   /* how every envelope of this run begins: up to the number in its id */
static size_t prefix_len, envelope_bytes;
static const char *id_part; /* the part of it from `"id":` on, for servers that write envelopes anew */
static size_t id_part_len;
static uint64_t sequence, delivered, sent_at[RING];
static uint32_t *latencies; /* tenths of a microsecond */
static size_t latency_count, latency_room;
static uint8_t input[FRAME_MAX + HEAD_MAX + (256 << 10)]; /* one for all: a client keeps only its rest */

/* ---- small things ---- */

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("load: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  exit(1);
}

static uint64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

static void *grow(void *block, size_t size) {
  block = realloc(block, size);
  if (!block && size) fail("out of memory");
  return block;
}

/* Copies `pattern` with the client's participant number in place of `%d`, its space's in place of `%s`. */
static void fill(char *out, size_t size, const char *pattern, int client) {
  size_t n = 0;
  for (const char *from = pattern; *from && n < size; from++) {
    int marked = from[0] == '%' && (from[1] == 'd' || from[1] == 's');
    int number = from[1] == 'd' ? opt.first + client % opt.ids : client / (opt.clients / opt.spaces);
    if (marked) n += snprintf(out + n, size - n, "%d", number), from++;
    else out[n++] = *from;
  }
  if (n >= size) fail("too long: %s", pattern);
  out[n] = 0;
}

static Lane *lane_of(int client) { return &lanes[client / lane_size]; }

/* Whether this client must receive what is published in its lane. */
static int receives(int client) { return opt.mode != PAIR || client == lane_of(client)->probe; }

/* ---- writing ---- */

static void watch(int operation, int fd, uint32_t events, uint32_t tag) {
  struct epoll_event ev = {.events = events, .data.u32 = tag};
  if (epoll_ctl(poller, operation, fd, &ev)) fail("epoll_ctl: %s", strerror(errno));
}

static void flush(Client *c) {
  uint32_t tag = c - clients;
  while (c->out_at < c->out_len) {
    ssize_t n = send(c->fd, c->out + c->out_at, c->out_len - c->out_at, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) {
      if (!c->blocked) watch(EPOLL_CTL_MOD, c->fd, EPOLLIN | EPOLLOUT, tag);
      c->blocked = 1;
      return;
    }
    if (n < 0) fail("client %u cannot send: %s", tag, strerror(errno));
    c->out_at += n;
  }
  c->out_at = c->out_len = 0;
  if (c->blocked) watch(EPOLL_CTL_MOD, c->fd, EPOLLIN, tag);
  c->blocked = 0;
}

/* Appends a masked frame to what the client has to write, with the sequence number at `number_at` if that is not 0. */
static void put(Client *c, int opcode, const void *data, size_t n, size_t number_at) {
  static uint32_t state = 2463534242u;
  state ^= state << 13, state ^= state >> 17, state ^= state << 5; /* xorshift: §5.3 wants a fresh mask each time */
  uint8_t mask[4];
  memcpy(mask, &state, 4);
  if (c->out_len + n + HEAD_MAX > c->out_room) {
    c->out_room = (c->out_len + n + HEAD_MAX) * 2;
    c->out = grow(c->out, c->out_room);
  }
  c->out_len += frame_head(c->out + c->out_len, opcode, n, mask);
  uint8_t *payload = c->out + c->out_len;
  if (n) memcpy(payload, data, n);
  if (number_at) {
    uint64_t number = sequence;
    for (int i = DIGITS - 1; i >= 0; i--, number /= 10) payload[number_at + i] = '0' + number % 10;
  }
  frame_mask(payload, n, mask);
  c->out_len += n;
}

/* Lets the lane's publishers send, in turn, until so many envelopes are on their way. */
static void publish(Lane *lane, uint32_t window) {
  while (lane->on_their_way < window) {
    Client *c = &clients[lane->first + lane->turn];
    lane->turn = (lane->turn + 1) % opt.publishers;
    put(c, opt.protocol->opcode, c->message, c->message_len, c->number_at);
    sent_at[sequence++ % RING] = now_ns();
    lane->on_their_way++;
    lane->sent++;
  }
  for (int i = 0; i < opt.publishers; i++)
    if (clients[lane->first + i].out_len) flush(&clients[lane->first + i]);
}

/* Fills every lane's window; or the one that they share, each lane in turn. */
static void publish_all(void) {
  static int next;
  uint32_t all = 0;
  for (int i = 0; i < lane_count; i++) {
    if (!opt.in_turn) publish(&lanes[i], opt.window);
    all += lanes[i].on_their_way;
  }
  for (; opt.in_turn && all < opt.window; all++, next = (next + 1) % lane_count)
    publish(&lanes[next], lanes[next].on_their_way + 1);
}

/* ---- reading ---- */

/* The sequence number in one of this run's envelopes, or -1. Forwarded bytes begin as they were sent: one look, unless
 * all of it is to be read. */
static int64_t own_number(const uint8_t *data, size_t n) {
  const uint8_t *digits = NULL;
  if (opt.careful && !memmem(data, n, TAIL, strlen(TAIL))) return -1;
  if (!opt.careful && n > prefix_len + DIGITS && !memcmp(data, prefix, prefix_len)) digits = data + prefix_len;
  else if ((digits = memmem(data, n, id_part, id_part_len))) digits += id_part_len;
  if (!digits || digits + DIGITS > data + n) return -1;
  int64_t number = 0;
  for (int i = 0; i < DIGITS; i++) number = number * 10 + (digits[i] - '0');
  return number;
}

static void note_latency(int64_t number, uint64_t now) {
  if (latency_count == latency_room) {
    latency_room = latency_room ? latency_room * 2 : 1 << 16;
    latencies = grow(latencies, latency_room * sizeof *latencies);
  }
  latencies[latency_count++] = (now - sent_at[number % RING]) / 100;
}

/* Takes note of the client's stream when its `stream/open` comes: everybody is told of everybody's. */
static void on_open(Client *c, const uint8_t *data, size_t n) {
  char to[256], name[200];
  fill(name, sizeof name, opt.id, c - clients);
  snprintf(to, sizeof to, "\"to\":[\"%s\"]", name);
  const char *id = memmem(data, n, "\"stream_id\":\"", 13);
  if (*c->stream || !id || !memmem(data, n, to, strlen(to))) return;
  id += 13;
  snprintf(c->stream, sizeof c->stream, "#%.*s#", (int)strcspn(id, "\""), id);
  streams++;
}

/* A frame of the client's own stream: whole, the next in order. */
static void on_chunk(int client, const uint8_t *data, size_t n) {
  Client *c = &clients[client];
  char expected[128];
  int head = snprintf(expected, sizeof expected, "%s%0*llu", c->stream, DIGITS, (unsigned long long)c->received);
  if (!*c->stream || n != strlen(c->stream) + opt.bytes || memcmp(data, expected, head))
    fail("client %d lacks frame %llu of its stream", client, (unsigned long long)c->received);
  c->received++;
}

static void on_welcome(Client *c) {
  welcomes += !c->welcomed;
  c->welcomed = 1;
}

static void on_own(int client, int64_t number) {
  clients[client].received++;
  delivered += measuring;
  Lane *lane = lane_of(client);
  if (client != lane->probe) return;
  if (!lane->on_their_way--) fail("client %d got an envelope twice", client);
  if (measuring) note_latency(number, now_ns());
}

static void on_frame(int client, const Frame *f, const uint8_t *data) {
  Client *c = &clients[client];
  if (f->masked) fail("client %d got a masked frame", client);
  if ((f->opcode == OP_TEXT || f->opcode == OP_BINARY) && f->fin)
    opt.protocol->on_data(client, f->opcode, data, f->length);
  else if (f->opcode == OP_PING) put(c, OP_PONG, data, f->length, 0), flush(c);
  else if (f->opcode == OP_CLOSE && f->length >= 2)
    fail("client %d was closed: %d %.*s", client, data[0] << 8 | data[1], (int)f->length - 2, data + 2);
  else if (f->opcode == OP_CLOSE) fail("client %d was closed without a code", client);
  else if (f->opcode != OP_PONG) fail("client %d got a frame with opcode %d, fin %d", client, f->opcode, f->fin);
}

/* Handles the frames in the first `n` bytes of `input`; what is left over waits in the client. */
static void on_bytes(int client, size_t n) {
  Client *c = &clients[client];
  Frame f;
  size_t at = 0;
  int whole;
  while ((whole = frame_read(input + at, n - at, &f)) == 1) {
    on_frame(client, &f, input + at + f.head);
    at += f.head + f.length;
  }
  if (whole < 0) fail("client %d got a malformed frame", client);
  c->rest_len = n - at;
  c->rest = grow(c->rest, c->rest_len + 1);
  memcpy(c->rest, input + at, c->rest_len);
}

static void on_input(int client) {
  Client *c = &clients[client];
  memcpy(input, c->rest, c->rest_len);
  ssize_t got = recv(c->fd, input + c->rest_len, sizeof input - c->rest_len, 0);
  if (got < 0 && errno == EAGAIN) return;
  if (got < 0) fail("client %d cannot receive: %s", client, strerror(errno));
  if (got == 0) fail("client %d: the server closed the connection", client);
  on_bytes(client, c->rest_len + got);
}

/* Handles what has arrived, waiting at most `timeout_ms` for it. Returns 0 when stdin has closed. */
static int turn(int timeout_ms) {
  struct epoll_event events[256];
  int open = 1, n = epoll_wait(poller, events, 256, timeout_ms);
  for (int i = 0; i < n; i++) {
    uint32_t tag = events[i].data.u32;
    char byte;
    if (tag == STDIN) open = read(0, &byte, 1) > 0;
    else {
      if (events[i].events & EPOLLOUT) flush(&clients[tag]);
      if (events[i].events & ~EPOLLOUT) on_input(tag);
    }
  }
  return open;
}

/* ---- what is spoken: MEW ---- */

/* The token says who it is, and the path where: nothing is left to say. */
static void mew_greet(int client) { (void)client; }

static void mew_wrap(int client, const char *envelope, size_t n) {
  Client *c = &clients[client];
  c->message = strndup(envelope, n);
  c->message_len = n;
  c->number_at = prefix_len;
}

/* A text frame is an envelope, a binary one a piece of a stream. */
static void mew_data(int client, int opcode, const uint8_t *data, size_t n) {
  Client *c = &clients[client];
  if (opcode == OP_BINARY && opt.mode != STREAM) fail("client %d got a binary frame", client);
  if (opcode == OP_BINARY) return on_chunk(client, data, n);
  int64_t number = own_number(data, n);
  if (number >= 0) return on_own(client, number);
  if (memmem(data, n, "\"system/error\"", 14)) fail("client %d got %.*s", client, n < 600 ? (int)n : 600, data);
  if (opt.mode == STREAM && memmem(data, n, "\"stream/open\"", 13)) on_open(c, data, n);
  if (!c->welcomed && memmem(data, n, "\"system/welcome\"", 16)) on_welcome(c);
  /* anything else is presence and the like */
}

/* ---- what is spoken: NATS ---- */

/* A lane is a subject; the PONG that answers comes when the subscription stands. */
static void nats_greet(int client) {
  static const char hello[] =
      "CONNECT {\"verbose\":false,\"pedantic\":false,\"echo\":true,\"lang\":\"c\",\"version\":\"1\"}";
  char said[300];
  int lane = client / lane_size;
  int n = receives(client) ? snprintf(said, sizeof said, "%s\r\nSUB lane%d 1\r\nPING\r\n", hello, lane)
                           : snprintf(said, sizeof said, "%s\r\nPING\r\n", hello);
  put(&clients[client], OP_BINARY, said, n, 0);
  flush(&clients[client]);
}

static void nats_wrap(int client, const char *envelope, size_t n) {
  Client *c = &clients[client];
  int head = asprintf(&c->message, "PUB lane%d %zu\r\n%.*s\r\n", client / lane_size, n, (int)n, envelope);
  if (head < 0) fail("out of memory");
  c->message_len = head;
  c->number_at = c->message_len - n - 2 + prefix_len;
}

static void nats_op(int client, const NatsOp *op, const uint8_t *data) {
  Client *c = &clients[client];
  int64_t number;
  switch (op->kind) {
    case NATS_MSG:
      if ((number = own_number(data + op->payload, op->payload_len)) < 0) fail("client %d got a foreign MSG", client);
      return on_own(client, number);
    case NATS_PING: put(c, OP_BINARY, "PONG\r\n", 6, 0); return flush(c);
    case NATS_PONG: return on_welcome(c);
    case NATS_ERR: fail("client %d got %.*s", client, (int)op->line, data);
    case NATS_OTHER: return; /* INFO */
  }
}

/* A frame is a piece of a stream of operations. */
static void nats_data(int client, int opcode, const uint8_t *data, size_t n) {
  Client *c = &clients[client];
  NatsOp op;
  size_t at = 0;
  int whole;
  (void)opcode;
  if (c->held_len) {
    c->held = grow(c->held, c->held_len + n);
    memcpy(c->held + c->held_len, data, n);
    data = c->held;
    n += c->held_len;
  }
  while ((whole = nats_read(data + at, n - at, &op)) == 1) nats_op(client, &op, data + at), at += op.length;
  if (whole < 0) fail("client %d got no NATS operation: %.*s", client, n - at < 100 ? (int)(n - at) : 100, data + at);
  c->held_len = n - at;
  if (data != c->held) c->held = grow(c->held, c->held_len + 1);
  memmove(c->held, data + at, c->held_len);
}

static const Protocol protocols[3] = {
    {"mew", OP_TEXT, mew_greet, mew_wrap, mew_data},
    {"nats", OP_BINARY, nats_greet, nats_wrap, nats_data},
    {NULL, 0, NULL, NULL, NULL},
};

/* ---- connecting ---- */

static void join(int client) {
  Client *c = &clients[client];
  char path[512], token[512], request[2048];
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(opt.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct timeval limit = {.tv_sec = 10};
  int one = 1;
  fill(path, sizeof path, opt.path, client);
  fill(token, sizeof token, opt.token, client);
  if ((c->fd = socket(AF_INET, SOCK_STREAM, 0)) < 0) fail("client %d: socket: %s", client, strerror(errno));
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (connect(c->fd, (void *)&address, sizeof address)) fail("client %d: connect: %s", client, strerror(errno));
  /* The key is the example of RFC 6455 §1.3, so that the right answer is known. */
  int n = snprintf(request, sizeof request,
                   "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                   "Authorization: Bearer %s\r\n\r\n",
                   path, opt.port, token);
  if (send(c->fd, request, n, MSG_NOSIGNAL) != n) fail("client %d: %s", client, strerror(errno));
  size_t got = 0;
  uint8_t *end = NULL;
  while (!end) {
    ssize_t r = recv(c->fd, input + got, sizeof input - got, 0);
    if (r <= 0) fail("client %d: no answer to the handshake: %s", client, r ? strerror(errno) : "closed");
    got += r;
    end = memmem(input, got, "\r\n\r\n", 4);
  }
  if (memcmp(input, "HTTP/1.1 101", 12) || !memmem(input, got, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", 28))
    fail("client %d: handshake refused: %.*s", client, (int)strcspn((char *)input, "\r"), input);
  fcntl(c->fd, F_SETFL, O_NONBLOCK);
  watch(EPOLL_CTL_ADD, c->fd, EPOLLIN, client);
  size_t rest = input + got - (end + 4);
  memmove(input, end + 4, rest);
  on_bytes(client, rest);
  opt.protocol->greet(client);
}

static void join_all(void) {
  for (int i = 0; i < opt.clients; i++) {
    join(i);
    if (i % 64 == 63) turn(0); /* earlier ones are pinged and told of the newcomers meanwhile */
  }
  uint64_t until = now_ns() + 2 * PATIENCE_NS;
  while (opt.want_welcome && welcomes < opt.clients) {
    if (now_ns() > until) fail("only %d of %d clients were welcomed in 10 s", welcomes, opt.clients);
    turn(50);
  }
}

/* ---- the run ---- */

static void write_envelopes(void) {
  char stamp[32], *text = grow(NULL, opt.bytes + 1);
  time_t seconds = time(NULL);
  strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S.000Z", gmtime(&seconds));
  memset(text, 'x', opt.bytes);
  text[opt.bytes] = 0;
  /* The beginning of the id is this run's own: a journal may still hold the one before. */
  prefix_len = snprintf(prefix, sizeof prefix, "{\"protocol\":\"mew/v0.4\",\"id\":\"b-%08lx-%05x-",
                        (unsigned long)(clock_ns(CLOCK_REALTIME) / 1000000 & 0xffffffff), getpid() & 0xfffff);
  id_part = strstr(prefix, "b-");
  id_part_len = strlen(id_part);
  for (int i = 0; i < opt.clients; i++) {
    char from[256], name[256], to[300] = "";
    fill(from, sizeof from, opt.id, i);
    fill(name, sizeof name, opt.id, i + 1);
    if (opt.mode == PAIR) snprintf(to, sizeof to, "\"to\":[\"%s\"],", name);
    char *envelope;
    int n = asprintf(&envelope, "%s%0*d\",\"ts\":\"%s\",\"from\":\"%s\",%s\"kind\":\"chat\","
                     "\"payload\":{\"text\":\"%s\"," TAIL,
                     prefix, DIGITS, 0, stamp, from, to, text);
    if (n < 0) fail("out of memory");
    opt.protocol->wrap(i, envelope, n);
    free(envelope);
    if (!i) envelope_bytes = n;
  }
  free(text);
}

static void lay_lanes(void) {
  lane_size = opt.mode == PAIR ? 2 : opt.clients / opt.spaces;
  lane_count = opt.clients / lane_size;
  lanes = grow(NULL, lane_count * sizeof *lanes);
  for (int i = 0; i < lane_count; i++) lanes[i] = (Lane){.first = i * lane_size, .probe = (i + 1) * lane_size - 1};
}

/* Keeps every window full for `seconds`; returns how long it took, in nanoseconds. */
static uint64_t drive(double seconds) {
  uint64_t start = now_ns(), now = start, end = start + (uint64_t)(seconds * 1e9), heard = start, before = 0;
  while (now < end) {
    uint64_t total = 0;
    publish_all();
    turn(20);
    now = now_ns();
    for (int i = 0; i < lane_count; i++) total += clients[lanes[i].probe].received;
    if (total != before) before = total, heard = now;
    if (now - heard > PATIENCE_NS) fail("no envelope reached a probe for 5 s");
  }
  return now - start;
}

/* True when everybody has received what was sent to it. */
static int settled(void) {
  for (int i = 0; i < opt.clients; i++)
    if (receives(i) && clients[i].received < lane_of(i)->sent) return 0;
  return 1;
}

/* Waits for what is still on its way, then insists that everything arrived exactly once. */
static void drain(void) {
  uint64_t until = now_ns() + PATIENCE_NS;
  while (!settled()) {
    if (now_ns() > until) fail("5 s after the last one was sent, somebody still lacks envelopes");
    turn(20);
  }
  turn(0);
  for (int i = 0; i < opt.clients; i++) {
    Lane *lane = lane_of(i); /* in pair mode a server may show senders what they sent: the gateway does */
    if (clients[i].received > lane->sent)
      fail("client %d received %llu envelopes of %llu", i, (unsigned long long)clients[i].received,
           (unsigned long long)lane->sent);
  }
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static double latency_us(double quantile) {
  return latencies[(size_t)((latency_count - 1) * quantile)] / 10.0;
}

/* The clock of the server's processor time; the monotonic one where no server is named. */
static clockid_t server_clock(void) {
  clockid_t clock = CLOCK_MONOTONIC;
  if (opt.server && clock_getcpuclockid(opt.server, &clock)) fail("there is no process %d", opt.server);
  return clock;
}

static void measure(void) {
  drive(opt.warm_up);
  uint64_t first = sequence, cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID), served = clock_ns(server_clock());
  measuring = 1;
  uint64_t elapsed = drive(opt.seconds);
  measuring = 0;
  double seconds = elapsed / 1e9, busy = (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu) / 1e9 / seconds;
  double serving = (clock_ns(server_clock()) - served) / 1e3;
  uint64_t sent = sequence - first;
  drain();
  if (!latency_count) fail("nothing reached a probe in the measured time: measure for longer");
  qsort(latencies, latency_count, sizeof *latencies, by_size);
  printf("{\"mode\":\"%s\",\"clients\":%d,\"publishers\":%d,\"window\":%u,\"bytes\":%u,\"envelope_bytes\":%zu,"
         "\"seconds\":%.3f,\"sent_per_s\":%.0f,\"deliveries_per_s\":%.0f,"
         "\"p50_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f,\"load_cpu\":%.2f",
         mode_names[opt.mode], opt.clients, lane_count * opt.publishers, opt.window, opt.bytes,
         envelope_bytes, seconds, sent / seconds, delivered / seconds, latency_us(.5), latency_us(.99),
         latency_us(1), busy);
  if (opt.server) printf(",\"server_us_per_delivery\":%.3f", serving / delivered);
  puts("}");
}

static void hold(double seconds) {
  printf("{\"mode\":\"idle\",\"clients\":%d,\"welcomes\":%d,\"connected_in_s\":%.2f}\n",
         opt.clients, welcomes, seconds);
  fflush(stdout);
  struct epoll_event ev = {.events = EPOLLIN, .data.u32 = STDIN};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, 0, &ev)) fail("idle holds until stdin closes: give it a pipe or a terminal");
  while (turn(-1)) {}
}

static void open_streams(void) {
  for (int i = 0; i < opt.clients; i++) {
    char name[200], request[400];
    fill(name, sizeof name, opt.id, i);
    int n = snprintf(request, sizeof request, "{\"kind\":\"stream/request\",\"payload\":{\"direction\":\"upload\","
                     "\"target\":[\"%s\"]}}", name);
    put(&clients[i], OP_TEXT, request, n, 0);
    flush(&clients[i]);
  }
  uint64_t until = now_ns() + PATIENCE_NS;
  while (streams < opt.clients) {
    if (now_ns() > until) fail("only %d of %d clients got their stream/open in 5 s", streams, opt.clients);
    turn(50);
  }
}

/* Writes the client's next frame: its beginning, its number, and bytes that no JSON has. */
static void write_chunk(Client *c, uint8_t *frame) {
  int head = snprintf((char *)frame, 128, "%s%0*llu", c->stream, DIGITS, (unsigned long long)c->written++);
  frame[head] = 0xff; /* where snprintf ended the text */
  put(c, OP_BINARY, frame, strlen(c->stream) + opt.bytes, 0);
  flush(c);
}

/* Writes at the wanted rate, client after client, while stdin is open; then waits for what is still on its way. */
static void stream(void) {
  if (opt.bytes < DIGITS + 1) fail("a frame has at least %d bytes", DIGITS + 1);
  uint8_t *frame = grow(NULL, 128 + opt.bytes);
  memset(frame, 0xff, 128 + opt.bytes);
  open_streams();
  printf("{\"mode\":\"stream\",\"clients\":%d,\"bytes\":%u}\n", opt.clients, opt.bytes);
  fflush(stdout);
  struct epoll_event ev = {.events = EPOLLIN, .data.u32 = STDIN};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, 0, &ev)) fail("stream writes until stdin closes: give it a pipe or a terminal");
  uint64_t start = now_ns(), written = 0;
  do {
    double due = (now_ns() - start) / 1e9 * opt.rate * opt.clients;
    for (; written < due; written++) {
      Client *c = &clients[written % opt.clients];
      if (c->written - c->received >= opt.window) break; /* the server is behind: it is not drowned */
      write_chunk(c, frame);
    }
  } while (turn(1));
  double seconds = (now_ns() - start) / 1e9;
  uint64_t until = now_ns() + PATIENCE_NS, received = 0;
  epoll_ctl(poller, EPOLL_CTL_DEL, 0, NULL);
  for (int i = 0; i < opt.clients; i++)
    while (clients[i].received < clients[i].written) {
      if (now_ns() > until) fail("5 s after the last one was written, client %d still lacks frames", i);
      turn(20);
    }
  for (int i = 0; i < opt.clients; i++) received += clients[i].received;
  printf("{\"frames_per_s\":%.1f,\"mib_per_s\":%.1f}\n", received / seconds, received * opt.bytes / seconds / (1 << 20));
}

/* ---- the command line ---- */

static const char usage[] =
    "usage: load --port N [options]\n"
    "  --mode M        fanout (default), pair, idle or stream\n"
    "  --protocol P    mew (default) or nats\n"
    "  --clients N     connections (50); pair: an even number\n"
    "  --spaces N      fanout: the clients are divided among N spaces, each with publishers and a window (1)\n"
    "  --in-turn       the spaces share one window, and publish in turn\n"
    "  --publishers N  fanout: the first N clients publish in turn (1)\n"
    "  --window N      envelopes on their way, per pair or space; frames per client in stream mode (64)\n"
    "  --bytes N       text of each chat, data of each frame, in bytes (256)\n"
    "  --rate N        frames a second and client (64)\n"
    "  --seconds S     measured time (3)\n"
    "  --warm-up S     time before it (1)\n"
    "  --path P        (/ws?space=bench&participant_id=p%d); %d is the participant's number, %s the space's\n"
    "  --token T       (token-p%d)\n"
    "  --id I          the participant's id, for `from` and `to` (p%d)\n"
    "  --ids N         participants: client i is participant i modulo N (as many as clients of a space)\n"
    "  --first N       the number of the first participant (0)\n"
    "  --welcome       start only when every client has its system/welcome (nats: its PONG)\n"
    "  --careful       read every envelope to its end, as a simpler load generator does\n"
    "  --server PID    tell what processor time this process took for a delivery\n";

static void options(int argc, char **argv) {
  enum { PORT = 1, MODE, PROTOCOL, CLIENTS, SPACES, PUBLISHERS, WINDOW, BYTES, SECONDS, WARM_UP, PATH, TOKEN, ID, IDS,
         FIRST, RATE, WELCOME, CAREFUL, IN_TURN, SERVER, HELP };
  static const struct option names[] = {
      {"port", 1, NULL, PORT},       {"mode", 1, NULL, MODE},     {"clients", 1, NULL, CLIENTS},
      {"protocol", 1, NULL, PROTOCOL}, {"spaces", 1, NULL, SPACES}, {"careful", 0, NULL, CAREFUL},
      {"server", 1, NULL, SERVER},   {"in-turn", 0, NULL, IN_TURN},
      {"publishers", 1, NULL, PUBLISHERS}, {"window", 1, NULL, WINDOW}, {"bytes", 1, NULL, BYTES},
      {"seconds", 1, NULL, SECONDS}, {"warm-up", 1, NULL, WARM_UP}, {"path", 1, NULL, PATH},
      {"token", 1, NULL, TOKEN},     {"id", 1, NULL, ID},         {"ids", 1, NULL, IDS},
      {"first", 1, NULL, FIRST},     {"rate", 1, NULL, RATE},     {"welcome", 0, NULL, WELCOME},
      {"help", 0, NULL, HELP},       {NULL, 0, NULL, 0}};
  for (int o; (o = getopt_long(argc, argv, "", names, NULL)) > 0;) switch (o) {
      case PORT: opt.port = atoi(optarg); break;
      case MODE:
        for (opt.mode = FANOUT; opt.mode <= STREAM && strcmp(optarg, mode_names[opt.mode]); opt.mode++) {}
        break;
      case PROTOCOL:
        for (opt.protocol = protocols; opt.protocol->name && strcmp(optarg, opt.protocol->name); opt.protocol++) {}
        break;
      case SPACES: opt.spaces = atoi(optarg); break;
      case CAREFUL: opt.careful = 1; break;
      case IN_TURN: opt.in_turn = 1; break;
      case SERVER: opt.server = atoi(optarg); break;
      case CLIENTS: opt.clients = atoi(optarg); break;
      case PUBLISHERS: opt.publishers = atoi(optarg); break;
      case WINDOW: opt.window = atoi(optarg); break;
      case BYTES: opt.bytes = atoi(optarg); break;
      case SECONDS: opt.seconds = atof(optarg); break;
      case WARM_UP: opt.warm_up = atof(optarg); break;
      case PATH: opt.path = optarg; break;
      case TOKEN: opt.token = optarg; break;
      case ID: opt.id = optarg; break;
      case IDS: opt.ids = atoi(optarg); break;
      case FIRST: opt.first = atoi(optarg); break;
      case RATE: opt.rate = atoi(optarg); break;
      case WELCOME: opt.want_welcome = 1; break;
      case HELP: fputs(usage, stdout); exit(0);
      default: fputs(usage, stderr); exit(2);
    }
  if (opt.spaces > 0 && !opt.ids) opt.ids = opt.clients / opt.spaces;
  if (opt.port < 1 || opt.mode > STREAM || !opt.protocol->name || opt.rate < 1 || opt.first < 0 || opt.clients < 2 ||
      opt.spaces < 1 || opt.clients / opt.spaces < 2 || opt.clients % opt.spaces || opt.ids < 1 || opt.window < 1 ||
      opt.bytes > PAYLOAD_MAX || opt.publishers < 1 || opt.publishers > opt.clients / opt.spaces || opt.seconds <= 0 ||
      optind < argc || (opt.mode == PAIR && (opt.clients % 2 || opt.publishers > 1)) ||
      (opt.spaces > 1 && opt.mode != FANOUT) || (opt.mode == STREAM && opt.protocol != protocols) ||
      opt.window > RING / (opt.mode == PAIR ? opt.clients / 2 : opt.spaces)) {
    fputs(usage, stderr);
    exit(2);
  }
}

int main(int argc, char **argv) {
  options(argc, argv);
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < (rlim_t)opt.clients + 16)
    fail("%d clients need as many open files, the hard limit is %llu", opt.clients, (unsigned long long)files.rlim_cur);
  poller = epoll_create1(0);
  clients = calloc(opt.clients, sizeof *clients);
  if (!clients) fail("out of memory");
  lay_lanes();
  write_envelopes();
  uint64_t start = now_ns();
  join_all();
  if (opt.mode == IDLE) hold((now_ns() - start) / 1e9);
  else if (opt.mode == STREAM) stream();
  else measure();
  return 0;
}
