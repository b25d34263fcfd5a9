import BelfryPush
import CNghttp2
import NIOCore

/// One HTTP/2 connection as libnghttp2 sees it, without a channel: bytes in, bytes out, requests in, results out.
///
/// Not `Sendable`: it belongs to the event loop of its connection. libnghttp2 calls back only while one of the methods
/// below is on the stack.
final class HTTP2Session {
    /// Bytes that the peer may send before it hears from us; answers are small and many.
    static let connectionWindow: Int32 = 1 << 20
    /// Frames that may wait to be written beside two for each stream: libnghttp2 acknowledges up to 1,000 frames of a peer
    /// that does not read, and a few frames are the connection's own.
    static let queueAllowance = 1_024
    /// Bytes that the peer may send for each request, many times what is kept of a response. It may also send them unasked
    /// whenever we look whether it is still there.
    static let bytesPerRequest = 64 * 1024
    /// Bytes that it may send beside its responses.
    static let bytesBeside = 1024 * 1024
    /// What a read costs at least: whoever sends bytes one by one, or pads them by TLS, makes as much work with fewer.
    static let bytesPerRead = 1024

    enum Pull {
        /// There is nothing more to send.
        case empty
        /// The limit was reached.
        case more
        case broken
    }

    var state: StreamRules
    /// The streams in flight, in places that are used again. A stream's user data is its place plus one.
    var slots: [StreamSlot] = []
    /// Requests that are in flight and have not been given up.
    private(set) var inFlight = 0
    private(set) var hasAnswered = false

    /// Made in `init`, freed in `deinit`, used in between by the owner's methods only.
    private let session: OpaquePointer
    private let headers: RequestHeaders
    private let queueLimit: Int
    private let allowanceLimit: Int
    /// Bytes that the peer may send now. No more than the responses to all that can be in flight, and the rest: whoever
    /// saves, saves so much at most.
    private var allowance = HTTP2Session.bytesBeside
    private var commonBlocks = CommonBlocks()
    private var bodySource: nghttp2_data_provider
    private var freeSlots: [Int] = []
    private var ended: [EndedRequest] = []
    private var saidGoodbye = false
    /// Several frames in a row belong to one stream: its place is looked up once.
    private var latestStream: Int32 = 0
    private var latestSlot = 0

    /// Nil when there is no memory.
    init?(authority: String, streamLimit: Int) {
        guard let session = HTTP2Session.makeSession() else { return nil }
        self.session = session
        state = StreamRules(ownLimit: streamLimit)
        queueLimit = 2 * streamLimit + Self.queueAllowance
        allowanceLimit = streamLimit * Self.bytesPerRequest + Self.bytesBeside
        headers = RequestHeaders(authority: authority)
        bodySource = HTTP2Session.makeBodySource()
        // Unretained: the session is freed in `deinit`, so that no callback outlives the object.
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

    /// Takes one request. False when the connection can take none any more; the state says so from then on.
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

    /// Gives up what has passed its deadline. Its streams are reset, so that their places become free, unless the
    /// connection is ending.
    func expire(at now: NIODeadline) {
        for place in slots.indices where slots[place].deadline <= now && slots[place].batch != nil {
            finish(place, state.timedOut(isSent: slots[place].isSent))
            guard state.phase == .open else { continue }
            let cancel = UInt32(NGHTTP2_CANCEL.rawValue)
            nghttp2_submit_rst_stream(session, Self.noFlags, slots[place].stream, cancel)
        }
    }

    /// The connection is gone: what is in flight ends.
    func abandon(_ failure: TransportFailure) {
        for place in slots.indices where slots[place].batch != nil {
            finish(place, state.lost(isSent: slots[place].isSent, failure: failure))
        }
    }

    /// Hands over what ended since the last call, and takes an empty array whose storage it uses from now on.
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

    /// - Returns: why the session cannot go on; nil when it can.
    func receive(_ bytes: UnsafeRawBufferPointer) -> TransportFailure? {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
        allowance -= max(bytes.count, Self.bytesPerRead)
        guard allowance >= 0 else { return .flooded }
        let isSound = nghttp2_session_mem_recv(session, start, bytes.count) >= 0 && queuedFrames <= queueLimit
        return isSound ? nil : .protocolBroken
    }

    /// The peer may send as much as for one more response: for a request, or by the passing of time. A connection may be
    /// open for weeks, and what a service says unasked shall not add up.
    func allowMore() {
        allowance = min(allowance + Self.bytesPerRequest, allowanceLimit)
    }

    /// Frames that wait to be written. What a peer sends may add to them, and it need not read a single one.
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

    /// Says GOAWAY when nobody waits for an answer on a draining connection any more.
    func sayGoodbyeIfDone() {
        if state.phase == .draining, inFlight == 0 { sayGoodbye() }
    }

    func sayGoodbye() {
        guard !saidGoodbye else { return }
        saidGoodbye = true
        nghttp2_session_terminate_session(session, StreamRules.noError)
    }

    /// Both sides have said what they had to say.
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
