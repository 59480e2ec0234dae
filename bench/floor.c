/* floor: the limit on this machine, the floor under any gateway.
 *
 *   floor PORT
 *
 * A server that does only what no gateway can leave out: read a client's frame, unmask it, and copy it to every
 * connection (or, when it says `"to":["pN"]`, to the one that connected with `participant_id=pN`), with one write
 * a connection for everything that one wake-up brought. No JSON, no tokens, no capabilities, no journal: whatever
 * stands in Authorization is accepted. Loopback only, until it is killed.
 */
#define _GNU_SOURCE
#include "ws.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define IDS 65536 /* participants that can be addressed */
#define REQUEST_MAX 8192

typedef struct Conn {
  int fd, id, place;  /* id: the N of pN, or -1; place: its index in `everybody`, or -1 before the handshake */
  int gone, blocked;  /* gone: to be freed after this wake-up; blocked: waits for the socket to take more */
  uint8_t *rest;      /* the beginning of a frame that has not arrived whole */
  size_t rest_len;
  uint8_t *out;       /* what is to be written, from `out_at` on */
  size_t out_at, out_len, out_room;
  struct Conn *next_fallen;
} Conn;

static Conn **everybody;
static int count, room;
static Conn *by_id[IDS];
static Conn *fallen; /* freed after the wake-up: a later event of the same one may still name them */
static int poller;
static uint8_t input[FRAME_MAX + HEAD_MAX + (256 << 10)]; /* one for all: a connection keeps only its rest */

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void *grow(void *block, size_t size) {
  block = realloc(block, size);
  if (!block) die("memory");
  return block;
}

static void watch(Conn *c, int operation, uint32_t events) {
  struct epoll_event ev = {.events = events, .data.ptr = c};
  if (epoll_ctl(poller, operation, c->fd, &ev)) die("epoll_ctl");
}

static void drop(Conn *c) {
  if (c->gone) return;
  c->gone = 1;
  close(c->fd);
  if (c->place >= 0) {
    everybody[c->place] = everybody[--count];
    everybody[c->place]->place = c->place;
  }
  if (c->id >= 0 && by_id[c->id] == c) by_id[c->id] = NULL;
  c->next_fallen = fallen;
  fallen = c;
}

static void put(Conn *c, const uint8_t *data, size_t n) {
  if (c->out_len + n > c->out_room) {
    c->out_room = (c->out_len + n) * 2;
    c->out = grow(c->out, c->out_room);
  }
  memcpy(c->out + c->out_len, data, n);
  c->out_len += n;
}

static void flush(Conn *c) {
  while (c->out_at < c->out_len) {
    ssize_t n = send(c->fd, c->out + c->out_at, c->out_len - c->out_at, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) {
      if (!c->blocked) watch(c, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
      c->blocked = 1;
      return;
    }
    if (n < 0) return drop(c);
    c->out_at += n;
  }
  c->out_at = c->out_len = 0;
  if (c->blocked) watch(c, EPOLL_CTL_MOD, EPOLLIN);
  c->blocked = 0;
}

/* Copies a text frame's payload on; `data` has room for a head in front of it, which the mask has left free. */
static void copy_on(uint8_t *data, size_t n) {
  uint8_t head[HEAD_MAX];
  size_t head_len = frame_head(head, OP_TEXT, n, NULL);
  uint8_t *frame = data - head_len; /* without a mask a head is four bytes shorter: it fits in the old one's place */
  memcpy(frame, head, head_len);
  uint8_t *to = memmem(data, n < 200 ? n : 200, "\"to\":[\"p", 8);
  if (to) {
    int id = atoi((char *)to + 8);
    if (id >= 0 && id < IDS && by_id[id]) put(by_id[id], frame, head_len + n);
    return;
  }
  for (int i = 0; i < count; i++) put(everybody[i], frame, head_len + n);
}

/* Answers the upgrade; returns the bytes it took, 0 when the request is not there whole. The accept value is that of
 * the one key that load sends (the example of §1.3). */
static size_t shake_hands(Conn *c, const uint8_t *data, size_t n) {
  static const char answer[] =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
  const uint8_t *end = memmem(data, n, "\r\n\r\n", 4);
  if (!end) {
    if (n > REQUEST_MAX) drop(c);
    return 0;
  }
  const uint8_t *name = memmem(data, end - data, "participant_id=p", 16);
  int id = name ? atoi((const char *)name + 16) : -1;
  if (id >= 0 && id < IDS) by_id[c->id = id] = c;
  if (count == room) everybody = grow(everybody, (room = room ? room * 2 : 64) * sizeof *everybody);
  everybody[c->place = count++] = c;
  put(c, (const uint8_t *)answer, sizeof answer - 1);
  return end + 4 - data;
}

static void on_input(Conn *c) {
  if (c->rest_len) memcpy(input, c->rest, c->rest_len);
  ssize_t got = recv(c->fd, input + c->rest_len, sizeof input - c->rest_len, 0);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) return drop(c);
  size_t n = c->rest_len + got, at = 0;
  Frame f;
  int whole = 1;
  if (c->place < 0) at = shake_hands(c, input, n);
  while (c->place >= 0 && !c->gone && (whole = frame_read(input + at, n - at, &f)) == 1) {
    uint8_t *data = input + at + f.head;
    if (!f.masked || !f.fin || f.opcode == OP_CLOSE) return drop(c);
    frame_mask(data, f.length, f.mask);
    if (f.opcode == OP_TEXT) copy_on(data, f.length);
    at += f.head + f.length;
  }
  if (c->gone || whole < 0) return drop(c);
  c->rest_len = n - at;
  if (c->rest_len) {
    c->rest = grow(c->rest, c->rest_len);
    memcpy(c->rest, input + at, c->rest_len);
  }
}

static void welcome(int listener) {
  int one = 1, fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
  if (fd < 0) {
    if (errno == EMFILE || errno == ENFILE) die("accept");
    return;
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  Conn *c = calloc(1, sizeof *c);
  if (!c) die("memory");
  c->fd = fd;
  c->id = c->place = -1;
  watch(c, EPOLL_CTL_ADD, EPOLLIN);
}

static int listen_on(int port) {
  int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(fd, (void *)&address, sizeof address) || listen(fd, 4096)) die("listen");
  struct epoll_event ev = {.events = EPOLLIN, .data.ptr = NULL};
  poller = epoll_create1(0);
  if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &ev)) die("epoll_ctl");
  return fd;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: floor PORT\n");
    return 2;
  }
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  int listener = listen_on(atoi(argv[1]));
  struct epoll_event events[256];
  for (;;) {
    int n = epoll_wait(poller, events, 256, -1);
    for (int i = 0; i < n; i++) {
      Conn *c = events[i].data.ptr;
      if (!c) welcome(listener);
      else if (!c->gone && events[i].events & ~EPOLLOUT) on_input(c);
    }
    for (int i = count - 1; i >= 0; i--) /* backwards: a drop moves the last one into the gap */
      if (everybody[i]->out_len) flush(everybody[i]);
    while (fallen) {
      Conn *c = fallen;
      fallen = c->next_fallen;
      free(c->rest);
      free(c->out);
      free(c);
    }
  }
}
