import CNghttp2

/// The callbacks of libnghttp2. The closures are C functions, which only know their session from its user data.
extension HTTP2Session {
    private enum FrameType {
        static let settings = UInt8(NGHTTP2_SETTINGS.rawValue)
        static let pushPromise = UInt8(NGHTTP2_PUSH_PROMISE.rawValue)
        static let goAway = UInt8(NGHTTP2_GOAWAY.rawValue)
    }

    static func makeSession() -> OpaquePointer? {
        var made: OpaquePointer?
        guard nghttp2_session_callbacks_new(&made) == 0, let callbacks = made else { return nil }
        // libnghttp2 copies the callbacks into each session.
        defer { nghttp2_session_callbacks_del(callbacks) }
        setFrameCallbacks(callbacks)
        setStreamCallbacks(callbacks)
        var session: OpaquePointer?
        return nghttp2_session_client_new(&session, callbacks, nil) == 0 ? session : nil
    }

    /// The body of a request, found by the slot of its stream.
    static func makeBodySource() -> nghttp2_data_provider {
        nghttp2_data_provider(
            source: nghttp2_data_source(ptr: nil),
            read_callback: { _, stream, buffer, size, flags, source, userData in
                guard let session = HTTP2Session.owner(userData), let buffer, let flags, let tag = source?.pointee.ptr
                else { return HTTP2Session.streamFailure }
                let place = Int(bitPattern: tag) - 1
                return session.readBody(place: place, stream: stream, into: buffer, size: size, flags: flags)
            }
        )
    }

    /// The result that makes libnghttp2 reset the stream.
    private static let streamFailure = Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    /// The result that makes libnghttp2 give up the connection.
    private static let connectionFailure = CInt(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)

    /// The session, which is the user data. It is alive, because one of its methods is calling libnghttp2.
    private static func owner(_ userData: UnsafeMutableRawPointer?) -> HTTP2Session? {
        userData.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func setFrameCallbacks(_ callbacks: OpaquePointer) {
        // Our settings forbid promises, but libnghttp2 applies them only after the peer has acknowledged them. Until
        // then it queues a rejection for each promise, and a peer that never acknowledges could send promises without
        // end.
        nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, header, _ in
            header?.pointee.type == FrameType.pushPromise ? HTTP2Session.connectionFailure : 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, userData in
            guard let session = HTTP2Session.owner(userData), let frame else { return 0 }
            session.frameReceived(frame)
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, length, value, size, _, data in
            guard let session = HTTP2Session.owner(data), let frame else { return 0 }
            session.headerReceived(
                stream: frame.pointee.hd.stream_id,
                name: UnsafeBufferPointer(start: name, count: length),
                value: UnsafeBufferPointer(start: value, count: size)
            )
            return 0
        }
    }

    private static func setStreamCallbacks(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, size, userData in
            guard let session = HTTP2Session.owner(userData) else { return 0 }
            session.bodyReceived(stream: stream, bytes: UnsafeBufferPointer(start: bytes, count: size))
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, errorCode, userData in
            guard let session = HTTP2Session.owner(userData) else { return 0 }
            session.streamClosed(stream, errorCode: errorCode)
            return 0
        }
    }

    private func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        switch header.type {
        case FrameType.settings where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
            settingsReceived()
        case FrameType.goAway:
            let goAway = frame.pointee.goaway
            state.goAwayReceived(lastStream: goAway.last_stream_id, errorCode: goAway.error_code)
        default:
            break
        }
    }

    private func headerReceived(
        stream: Int32,
        name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>
    ) {
        guard let place = place(of: stream) else { return }
        if name.first == UInt8(ascii: ":") {
            // `:status` is the only pseudo-header of a response, and libnghttp2 accepts only three digits.
            slots[place].begin(status: value.reduce(0) { $0 * 10 + Int($1) - Int(UInt8(ascii: "0")) })
        } else {
            slots[place].append(name: name, value: value)
        }
    }

    private func bodyReceived(stream: Int32, bytes: UnsafeBufferPointer<UInt8>) {
        guard let place = place(of: stream) else { return }
        slots[place].append(body: bytes)
    }

    private func readBody(
        place: Int,
        stream: Int32,
        into buffer: UnsafeMutablePointer<UInt8>,
        size: Int,
        flags: UnsafeMutablePointer<UInt32>
    ) -> Int {
        guard slots[place].stream == stream, let batch = slots[place].batch else { return Self.streamFailure }
        let sent = slots[place].bodySent
        let body = batch.requests[slots[place].index].body
        let count = body.withUnsafeBufferPointer { bytes in
            let count = min(size, bytes.count - sent)
            if let start = bytes.baseAddress { buffer.update(from: start + sent, count: count) }
            return count
        }
        slots[place].bodySent = sent + count
        if sent + count == body.count {
            slots[place].isSent = true
            flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
        }
        return count
    }
}
