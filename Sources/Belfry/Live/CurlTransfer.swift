#if os(Linux)
    import CLibcurl
    import Foundation
    import FoundationNetworking

    /// One request in libcurl, and the received part of its response. It belongs to the thread of its connection.
    final class CurlTransfer {
        let call: CurlCall
        let easy: UnsafeMutableRawPointer
        private let limits: HTTPLimits
        private var requestHeaders: UnsafeMutablePointer<curl_slist>?
        private var headers: [String: String] = [:]
        private var headerBytes = 0
        private var body = Data()
        private var isTooLarge = false

        /// - Returns: nil when memory cannot be allocated.
        init?(_ call: CurlCall, limits: HTTPLimits) {
            guard let easy = curl_easy_init() else { return nil }
            self.call = call
            self.easy = easy
            self.limits = limits
            guard setRequest(), setLimits(), setSinks() else { return nil }
        }

        deinit {
            curl_easy_cleanup(easy)
            curl_slist_free_all(requestHeaders)
        }

        /// - Parameter result: libcurl's result of the transfer.
        func outcome(_ result: CURLcode) -> Result<TransportResponse, any Error> {
            guard !isTooLarge else { return .failure(HTTPTransportFailure.responseTooLarge) }
            guard result == CURLE_OK else { return .failure(Self.error(result)) }
            var status = 0
            belfry_curl_get_status(easy, &status)
            return .success(TransportResponse(status: status, headers: headers, body: body))
        }

        private func setRequest() -> Bool {
            let request = call.request
            // An empty value is written with a semicolon; without it, libcurl would remove the header.
            var lines = request.headers.map { $0.value.isEmpty ? "\($0.key);" : "\($0.key): \($0.value)" }
            // Removes libcurl's own headers: a body is sent without waiting for a 100, and only with the request's
            // content type.
            lines.append("Expect:")
            if !request.headers.keys.contains(where: { $0.lowercased() == "content-type" }) {
                lines.append("Content-Type:")
            }
            for line in lines {
                guard let longer = curl_slist_append(requestHeaders, line) else { return false }
                requestHeaders = longer
            }
            guard belfry_curl_set_list(easy, CURLOPT_HTTPHEADER, requestHeaders) == CURLE_OK else { return false }
            if request.body != nil || request.method == "POST" || request.method == "PUT" {
                // An empty body's pointer may be nil, with which libcurl would read the body from elsewhere.
                let isSet = (request.body ?? Data()).withUnsafeBytes { bytes in
                    withUnsafeBytes(of: UInt8(0)) { nothing in
                        belfry_curl_set_body(easy, bytes.baseAddress ?? nothing.baseAddress, bytes.count) == CURLE_OK
                    }
                }
                guard isSet else { return false }
            }
            return belfry_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method) == CURLE_OK
                && belfry_curl_set_text(easy, CURLOPT_URL, call.url.absoluteString) == CURLE_OK
                // Every coding that libcurl can decode.
                && belfry_curl_set_text(easy, CURLOPT_ACCEPT_ENCODING, "") == CURLE_OK
        }

        private func setLimits() -> Bool {
            belfry_curl_set_http_only(easy) == CURLE_OK
                && belfry_curl_set_long(easy, CURLOPT_NOSIGNAL, 1) == CURLE_OK
                && belfry_curl_set_long(easy, CURLOPT_TIMEOUT, limits.totalTimeout) == CURLE_OK
                && belfry_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT, limits.idleTimeout) == CURLE_OK
                && belfry_curl_set_long(easy, CURLOPT_LOW_SPEED_LIMIT, 1) == CURLE_OK
                && belfry_curl_set_long(easy, CURLOPT_LOW_SPEED_TIME, limits.idleTimeout) == CURLE_OK
        }

        private func setSinks() -> Bool {
            let transfer = Unmanaged.passUnretained(self).toOpaque()
            return belfry_curl_set_pointer(easy, CURLOPT_HEADERDATA, transfer) == CURLE_OK
                && belfry_curl_set_pointer(easy, CURLOPT_WRITEDATA, transfer) == CURLE_OK
                && belfry_curl_set_sink(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, transfer in
                    CurlTransfer.receive(bytes, size * count, transfer) { $0.receive(headerLine: $1) }
                } == CURLE_OK
                && belfry_curl_set_sink(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, transfer in
                    CurlTransfer.receive(bytes, size * count, transfer) { $0.receive(body: $1) }
                } == CURLE_OK
        }

        /// - Returns: the number of accepted bytes; fewer than received end the transfer.
        private static func receive(
            _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ transfer: UnsafeMutableRawPointer?,
            _ take: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
        ) -> Int {
            guard let transfer else { return 0 }
            let owner = Unmanaged<CurlTransfer>.fromOpaque(transfer).takeUnretainedValue()
            return take(owner, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
        }

        private func receive(headerLine: UnsafeRawBufferPointer) -> Bool {
            headerBytes += headerLine.count
            guard headerBytes <= limits.maximumHeaderBytes else {
                isTooLarge = true
                return false
            }
            // Headers of an interim response, such as 100 (Continue), are discarded.
            if headerLine.starts(with: "HTTP/".utf8) {
                headers = [:]
                return true
            }
            guard let colon = headerLine.firstIndex(of: UInt8(ascii: ":")) else { return true }
            let name = Self.trimmed(headerLine[..<colon]).lowercased()
            let value = Self.trimmed(headerLine[(colon + 1)...])
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
            return true
        }

        private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
            let isBlank = { (byte: UInt8) in byte <= 0x20 }
            guard let first = bytes.firstIndex(where: { !isBlank($0) }),
                let last = bytes.lastIndex(where: { !isBlank($0) })
            else { return "" }
            return String(decoding: bytes[first...last], as: UTF8.self)
        }

        private func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
            guard body.count + bytes.count <= limits.maximumBytes else {
                isTooLarge = true
                return false
            }
            body.append(contentsOf: bytes)
            return true
        }

        private static func error(_ code: CURLcode) -> any Error {
            switch code {
            // A response without a status line is one of HTTP 0.9.
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: HTTPTransportFailure.notHTTP
            case CURLE_URL_MALFORMAT: HTTPTransportFailure.invalidAddress
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: URLError(.cannotFindHost)
            case CURLE_COULDNT_CONNECT: URLError(.cannotConnectToHost)
            case CURLE_OPERATION_TIMEDOUT: URLError(.timedOut)
            case CURLE_SSL_CONNECT_ERROR: URLError(.secureConnectionFailed)
            case CURLE_PEER_FAILED_VERIFICATION: URLError(.serverCertificateUntrusted)
            case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
                CURLE_HTTP2_STREAM:
                URLError(.networkConnectionLost)
            case CURLE_BAD_CONTENT_ENCODING: URLError(.cannotDecodeContentData)
            default: URLError(.unknown)
            }
        }
    }

    /// A request whose caller waits for the response.
    struct CurlCall: Sendable {
        let number: Int
        let request: TransportRequest
        let url: URL
        let waiter: CheckedContinuation<TransportResponse, any Error>
    }
#endif
