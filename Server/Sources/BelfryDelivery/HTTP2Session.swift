import BelfryPush
import CNghttp2
import NIOCore

/// One HTTP/2 connection as libnghttp2 sees it, without a channel: bytes in, bytes out, requests in, results out.
///
/// Not `Sendable`: it belongs to the event loop of its connection. libnghttp2 calls back only during a call of one of
/// the methods below.
final class HTTP2Session {
    /// The bytes that the peer may send before it needs a window update; responses are small and many.
    static let connectionWindow: Int32 = 1 << 20
    /// The maximum number of frames that may wait to be written, besides two for each stream. libnghttp2 acknowledges
    /// up to 1,000 frames of a peer that does not read, and a few frames are the connection's own.
    static let queueAllowance = 1_024
    /// The bytes that the peer may send for each request, many times what is kept of a response. It may send the same
    /// amount without a request each time its liveness is checked.
    static let bytesPerRequest = 64 * 1024
    /// The bytes that the peer may send besides its responses.
    static let bytesBeside = 1024 * 1024
    /// The bytes that a read counts for at least: single bytes, or bytes padded by TLS, cause as much work as more
    /// bytes.
    static let bytesPerRead = 1024

    enum Pull {
        /// There is nothing more to send.
        case empty
        /// The limit was reached.
        case more
        case broken
    }

    var state: StreamRules
    /// The streams in flight. Slots are reused. A stream's user data is the index of its slot plus one.
    var slots: [StreamSlot] = []
    /// The number of requests in flight that have not been given up.
    private(set) var inFlight = 0
    private(set) var hasAnswered = false

    /// Created in `init` and freed in `deinit`. In between, only the owner's methods use it.
    private let session: OpaquePointer
    private let headers: RequestHeaders
    private let queueLimit: Int
    private let allowanceLimit: Int
    /// The bytes that the peer may still send. The maximum is what the responses to all possible requests in flight
    /// need, plus `bytesBeside`, so that a peer cannot save up more.
    private var allowance = HTTP2Session.bytesBeside
    private var commonBlocks = CommonBlocks()
    private var bodySource: nghttp2_data_provider
    private var freeSlots: [Int] = []
    private var ended: [EndedRequest] = []
    private var saidGoodbye = false
    /// The latest stream: several frames in a row belong to one stream, so its slot is looked up once.
    private var latestStream: Int32 = 0
    private var latestSlot = 0

    /// Nil when memory cannot be allocated.
    init?(authority: String, streamLimit: Int) {
        guard let session = HTTP2Session.makeSession() else { return nil }
        self.session = session
        state = StreamRules(ownLimit: streamLimit)
        queueLimit = 2 * streamLimit + Self.queueAllowance
        allowanceLimit = streamLimit * Self.bytesPerRequest + Self.bytesBeside
        headers = RequestHeaders(authority: authority)
        bodySource = HTTP2Session.makeBodySource()
        // Unretained: the session is freed in `deinit`, so no callback outlives the object.
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        let settings = [nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)]
        nghttp2_submit_settings(session, Self.noFlags, settings, settings.count)
        nghttp2_session_set_local_window_size(session, Self.noFlags, 0, Self.connectionWindow)
    }

    deinit {
        nghttp2_session_del(session)
    }

    static let noFlags = UInt8(NGHTTP2_FLAG_NONE.rawValue)

    // MARK: Requests

    /// Submits one request. False when the connection takes no more requests; then `state` says so, too.
    func submit(_ batch: PushBatch, index: Int, deadline: NIODeadline) -> Bool {
        let request = batch.requests[index]
        let common = commonBlocks.block(for: request.common)
        let count = headers.build(request, common: common)
        let place = takeSlot()
        let tag = UnsafeMutableRawPointer(bitPattern: place + 1)
        let stream: Int32
        if request.body.isEmpty {
            stream = nghttp2_submit_request(session, nil, headers.fields, count, nil, tag)
        } else {
            bodySource.source.ptr = tag
            stream = nghttp2_submit_request(session, nil, headers.fields, count, &bodySource, tag)
        }
        guard stream > 0 else {
            freeSlots.append(place)
            state.drain()
            return false
        }
        slots[place].batch = batch
        slots[place].index = index
        slots[place].deadline = deadline
        slots[place].stream = stream
        slots[place].common = common
        slots[place].isSent = request.body.isEmpty
        inFlight += 1
        state.streamOpened(stream)
        allowMore()
        return true
    }

    /// Gives up requests that have passed their deadline. Their streams are reset, so that their slots become free,
    /// unless the connection is ending.
    func expire(at now: NIODeadline) {
        for place in slots.indices where slots[place].deadline <= now && slots[place].batch != nil {
            finish(place, state.timedOut(isSent: slots[place].isSent))
            guard state.phase == .open else { continue }
            let cancel = UInt32(NGHTTP2_CANCEL.rawValue)
            nghttp2_submit_rst_stream(session, Self.noFlags, slots[place].stream, cancel)
        }
    }

    /// The connection is lost: all requests in flight end.
    func abandon(_ failure: TransportFailure) {
        for place in slots.indices where slots[place].batch != nil {
            finish(place, state.lost(isSent: slots[place].isSent, failure: failure))
        }
    }

    /// Returns the requests that have ended since the last call. The empty array `other` is swapped in, to reuse its
    /// storage.
    func takeEnded(into other: inout [EndedRequest]) {
        swap(&ended, &other)
    }

    private func takeSlot() -> Int {
        if let place = freeSlots.popLast() { return place }
        slots.append(StreamSlot())
        return slots.count - 1
    }

    private func finish(_ place: Int, _ end: StreamRules.StreamEnd) {
        guard let batch = slots[place].batch else { return }
        let result: PushResult
        switch end {
        case .answered:
            hasAnswered = true
            result = .answered(
                PushResponse(status: slots[place].status, fields: slots[place].fields, body: slots[place].body)
            )
        case .notProcessed(let reason):
            result = .notProcessed(reason: reason)
        case .unanswered(let reason):
            result = .unanswered(reason: reason)
        }
        ended.append(EndedRequest(batch: batch, index: slots[place].index, result: result))
        slots[place].batch = nil
        inFlight -= 1
    }

    // MARK: Bytes

    /// - Returns: the reason why the session cannot continue; nil when it can.
    func receive(_ bytes: UnsafeRawBufferPointer) -> TransportFailure? {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
        allowance -= max(bytes.count, Self.bytesPerRead)
        guard allowance >= 0 else { return .flooded }
        let isSound = nghttp2_session_mem_recv(session, start, bytes.count) >= 0 && queuedFrames <= queueLimit
        return isSound ? nil : .protocolBroken
    }

    /// Lets the peer send bytes for one more response, after a request or after some time. A connection may be open for
    /// weeks, and the bytes that a service sends unasked must not add up.
    func allowMore() {
        allowance = min(allowance + Self.bytesPerRequest, allowanceLimit)
    }

    /// The number of frames that wait to be written. A peer's frames may add to them, even if it reads none.
    var queuedFrames: Int { nghttp2_session_get_outbound_queue_size(session) }

    /// Moves frames to `buffer` until it holds `limit` bytes or there are none.
    func pull(into buffer: inout ByteBuffer, limit: Int) -> Pull {
        while buffer.readableBytes < limit {
            var frame: UnsafePointer<UInt8>?
            let size = nghttp2_session_mem_send(session, &frame)
            guard size > 0, let bytes = frame else { return size < 0 ? .broken : .empty }
            // The bytes are valid until the next call; they are copied here.
            buffer.writeBytes(UnsafeRawBufferPointer(start: bytes, count: size))
        }
        return .more
    }

    // MARK: The connection

    func ping() {
        nghttp2_submit_ping(session, Self.noFlags, nil)
    }

    /// Sends GOAWAY on a draining connection when no request waits for a response any more.
    func sayGoodbyeIfDone() {
        if state.phase == .draining, inFlight == 0 { sayGoodbye() }
    }

    func sayGoodbye() {
        guard !saidGoodbye else { return }
        saidGoodbye = true
        nghttp2_session_terminate_session(session, StreamRules.noError)
    }

    /// Whether neither side has anything more to send.
    var isOver: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    // MARK: Called back

    func place(of stream: Int32) -> Int? {
        if stream == latestStream { return latestSlot }
        guard let tag = nghttp2_session_get_stream_user_data(session, stream) else { return nil }
        latestStream = stream
        latestSlot = Int(bitPattern: tag) - 1
        return latestSlot
    }

    func settingsReceived() {
        let limit = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        state.settingsReceived(maxConcurrentStreams: limit)
    }

    func streamClosed(_ stream: Int32, errorCode: UInt32) {
        guard let place = place(of: stream) else { return }
        finish(place, state.streamClosed(stream, errorCode: errorCode, status: slots[place].status))
        slots[place] = StreamSlot()
        freeSlots.append(place)
        latestStream = 0
    }
}
