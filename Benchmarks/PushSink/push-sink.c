// A push service that does nothing but answer: HTTP/2 over TLS by libnghttp2 and OpenSSL, one thread for each
// connection, 200 for every request when its body has ended, after a delay if one is asked for.
//
// It is the yardstick's other end: h2load and `belfry bench push` are measured against the same sink in the same run,
// so it must be faster than both. It is written in C for that reason alone and shares nothing with the engine.
//
// With a LOG it writes the apns-id of each request to that file, a line each, before it answers. So whoever sends can be
// held to what came here.
//
// Usage: push-sink PORT KEY.pem CERT.pem [DELAY_MS [LOG]]

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

enum { MAX_STREAMS = 1000, IN_SIZE = 1 << 17, OUT_SIZE = 1 << 18, ID_SIZE = 36, IDS_SIZE = 1000 * (ID_SIZE + 1) };

// Answers that wait for their time, oldest first; every stream that is open has at most one.
typedef struct {
  int64_t due_ms;
  int32_t stream;
} Waiting;

typedef struct {
  nghttp2_session *session;
  SSL *tls;
  int socket;
  Waiting waiting[MAX_STREAMS + 1];
  int first, last;
  uint8_t out[OUT_SIZE];
  size_t out_length, out_sent;
  // Lines for the log that are not in it yet.
  char ids[IDS_SIZE];
  size_t ids_length;
} Connection;

static int64_t delay_ms;
static SSL_CTX *context;
static int log_file = -1;

static int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void answer(nghttp2_session *session, int32_t stream) {
  static uint8_t name[] = ":status", value[] = "200";
  nghttp2_nv status = {name, value, 7, 3, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
  nghttp2_submit_response(session, stream, &status, 1, NULL);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *data) {
  Connection *connection = data;
  int is_request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
  if (!is_request || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
  if (delay_ms == 0) {
    answer(session, frame->hd.stream_id);
    return 0;
  }
  connection->waiting[connection->last] = (Waiting){now_ms() + delay_ms, frame->hd.stream_id};
  connection->last = (connection->last + 1) % (MAX_STREAMS + 1);
  return 0;
}

// Several connections write to the file. Each write is appended in one piece.
static void write_ids(Connection *connection) {
  if (connection->ids_length == 0) return;
  if (write(log_file, connection->ids, connection->ids_length) != (ssize_t)connection->ids_length) {
    fprintf(stderr, "push-sink: the log cannot be written: %s\n", strerror(errno));
    exit(1);
  }
  connection->ids_length = 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_length,
                     const uint8_t *value, size_t value_length, uint8_t flags, void *data) {
  (void)session, (void)frame, (void)flags;
  static const char wanted[] = "apns-id";
  Connection *connection = data;
  if (name_length != sizeof wanted - 1 || memcmp(name, wanted, name_length) || value_length != ID_SIZE) return 0;
  if (connection->ids_length + ID_SIZE + 1 > IDS_SIZE) write_ids(connection);
  memcpy(connection->ids + connection->ids_length, value, ID_SIZE);
  connection->ids[connection->ids_length + ID_SIZE] = '\n';
  connection->ids_length += ID_SIZE + 1;
  return 0;
}

static void answer_due(Connection *connection) {
  int64_t now = now_ms();
  while (connection->first != connection->last && connection->waiting[connection->first].due_ms <= now) {
    answer(connection->session, connection->waiting[connection->first].stream);
    connection->first = (connection->first + 1) % (MAX_STREAMS + 1);
  }
}

// Gathers frames until the buffer is full, then writes them at once. 0 when the connection is over.
static int flush(Connection *connection, int *blocked) {
  for (*blocked = 0;;) {
    if (connection->out_sent == connection->out_length) {
      connection->out_sent = connection->out_length = 0;
      while (connection->out_length < OUT_SIZE - 32768) {
        const uint8_t *bytes;
        ssize_t size = nghttp2_session_mem_send(connection->session, &bytes);
        if (size < 0) return 0;
        if (size == 0) break;
        memcpy(connection->out + connection->out_length, bytes, (size_t)size);
        connection->out_length += (size_t)size;
      }
      if (connection->out_length == 0) return 1;
    }
    int size = SSL_write(connection->tls, connection->out + connection->out_sent,
                         (int)(connection->out_length - connection->out_sent));
    if (size <= 0) {
      if (SSL_get_error(connection->tls, size) != SSL_ERROR_WANT_WRITE) return 0;
      *blocked = 1;
      return 1;
    }
    connection->out_sent += (size_t)size;
  }
}

static int receive(Connection *connection, uint8_t *in) {
  for (;;) {
    int size = SSL_read(connection->tls, in, IN_SIZE);
    if (size <= 0) return SSL_get_error(connection->tls, size) == SSL_ERROR_WANT_READ;
    if (nghttp2_session_mem_recv(connection->session, in, (size_t)size) < 0) return 0;
    if (!SSL_pending(connection->tls)) return 1;
  }
}

static nghttp2_session *make_session(Connection *connection) {
  nghttp2_session_callbacks *callbacks;
  nghttp2_session *session;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
  if (log_file >= 0) nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_server_new(&session, callbacks, connection);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_settings_entry limit = {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, MAX_STREAMS};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &limit, 1);
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, 1 << 24);
  return session;
}

static void *serve(void *argument) {
  int socket = (int)(intptr_t)argument;
  Connection *connection = calloc(1, sizeof *connection);
  uint8_t *in = malloc(IN_SIZE);
  connection->socket = socket;
  connection->tls = SSL_new(context);
  SSL_set_fd(connection->tls, socket);
  if (SSL_accept(connection->tls) == 1) {
    fcntl(socket, F_SETFL, O_NONBLOCK);
    connection->session = make_session(connection);
    int blocked = 0;
    while (receive(connection, in)) {
      write_ids(connection);
      answer_due(connection);
      if (!flush(connection, &blocked)) break;
      struct pollfd poll_for = {socket, (short)(POLLIN | (blocked ? POLLOUT : 0)), 0};
      poll(&poll_for, 1, connection->first != connection->last ? 1 : -1);
    }
    nghttp2_session_del(connection->session);
  }
  SSL_free(connection->tls);
  close(socket);
  free(in);
  free(connection);
  return NULL;
}

static int choose_h2(SSL *tls, const unsigned char **out, unsigned char *size, const unsigned char *offered,
                     unsigned int offered_size, void *unused) {
  (void)tls, (void)unused;
  static const unsigned char ours[] = "\x02h2";
  return SSL_select_next_proto((unsigned char **)out, size, ours, 3, offered, offered_size) == OPENSSL_NPN_NEGOTIATED
             ? SSL_TLSEXT_ERR_OK
             : SSL_TLSEXT_ERR_ALERT_FATAL;
}

int main(int count, char **arguments) {
  if (count < 4) return fprintf(stderr, "usage: push-sink PORT KEY.pem CERT.pem [DELAY_MS [LOG]]\n"), 2;
  if (count > 4) delay_ms = atoll(arguments[4]);
  if (count > 5 && (log_file = open(arguments[5], O_WRONLY | O_APPEND | O_CREAT, 0600)) < 0)
    return fprintf(stderr, "push-sink: %s: %s\n", arguments[5], strerror(errno)), 1;
  signal(SIGPIPE, SIG_IGN);
  context = SSL_CTX_new(TLS_server_method());
  if (SSL_CTX_use_PrivateKey_file(context, arguments[2], SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_use_certificate_chain_file(context, arguments[3]) != 1)
    return fprintf(stderr, "push-sink: the key or the certificate cannot be read\n"), 1;
  SSL_CTX_set_alpn_select_cb(context, choose_h2, NULL);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);

  int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 64))
    return fprintf(stderr, "push-sink: port %s: %s\n", arguments[1], strerror(errno)), 1;
  for (;;) {
    int socket = accept(listener, NULL, NULL);
    if (socket < 0) continue;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    pthread_t thread;
    pthread_create(&thread, NULL, serve, (void *)(intptr_t)socket);
    pthread_detach(thread);
  }
}
