#ifndef BELFRY_CLIBCURL_SHIM_H
#define BELFRY_CLIBCURL_SHIM_H

#include <curl/curl.h>

/* What every thread of a process needs done once, before anything else. */
static inline CURLcode belfry_curl_prepare(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* Swift cannot call functions with any number of arguments: one for each kind of value that an option takes. */

static inline CURLcode belfry_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode belfry_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode belfry_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode belfry_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode belfry_curl_set_sink(
    CURL *easy, CURLoption option, size_t (*value)(char *, size_t, size_t, void *)
) {
    return curl_easy_setopt(easy, option, value);
}

/* A body of that many bytes, which libcurl copies. */
static inline CURLcode belfry_curl_set_body(CURL *easy, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

/* HTTP and HTTPS, and no other protocol that libcurl speaks. */
static inline CURLcode belfry_curl_set_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
}

static inline CURLcode belfry_curl_get_status(CURL *easy, long *status) {
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, status);
}

/* The next transfer that has ended, and how; null when there is none. */
static inline CURL *belfry_curl_next_ended(CURLM *multi, CURLcode *result) {
    int left = 0;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

#endif
