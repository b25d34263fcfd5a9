/// What one HTTP/2 connection may do next, and what the end of a stream says about its request
/// (RFC 9113 §5.1.2, §6.8, §8.7).
struct StreamRules: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        /// Nothing is sent before the peer's SETTINGS. They come right behind the handshake, so that this costs one
        /// round trip in the life of a connection; and APNs allows one stream until it has seen a valid provider
        /// token, so that 99 of 100 requests sent on trust would be refused.
        case awaitingSettings
        case open
        /// No new streams; the connection ends with the last one.
        case draining
    }

    /// What the peer announced in its last GOAWAY.
    struct GoAway: Equatable, Sendable {
        let lastStream: Int32
        let errorCode: UInt32
    }

    /// How a stream ended for its request.
    enum StreamEnd: Equatable, Sendable {
        case answered
        case notProcessed(reason: String)
        case unanswered(reason: String)
    }

    /// A connection is replaced when its stream ids, which are never used twice, come near their end at 2³¹ - 1.
    static let lastUsableStream: Int32 = 0x7fff_ff00
    /// A connection on which so many requests in a row passed their deadline is replaced, PING answers or not. It also
    /// keeps the resets few: many of them look like an attack (CVE-2023-44487).
    static let maximumTimeoutsInARow = 16
    static let noError: UInt32 = 0
    static let refusedStream: UInt32 = 7

    let ownLimit: Int
    private(set) var phase = Phase.awaitingSettings
    private(set) var peerLimit = 0
    private(set) var openStreams = 0
    private(set) var goAway: GoAway?
    private var timeoutsInARow = 0

    init(ownLimit: Int) {
        self.ownLimit = ownLimit
    }

    /// Streams that may be opened now.
    var room: Int {
        phase == .open ? max(0, min(ownLimit, peerLimit) - openStreams) : 0
    }

    /// The peer may change its mind later; what is open above a lowered limit stays open (RFC 9113 §6.5.2).
    mutating func settingsReceived(maxConcurrentStreams: UInt32) {
        peerLimit = Int(min(maxConcurrentStreams, UInt32(Int32.max)))
        if phase == .awaitingSettings { phase = .open }
    }

    mutating func streamOpened(_ stream: Int32) {
        openStreams += 1
        if stream >= Self.lastUsableStream { phase = .draining }
    }

    /// A peer that ends gently sends two: the first with the highest id there is, the second with the true one.
    mutating func goAwayReceived(lastStream: Int32, errorCode: UInt32) {
        goAway = GoAway(lastStream: min(lastStream, goAway?.lastStream ?? .max), errorCode: errorCode)
        phase = .draining
    }

    mutating func drain() {
        phase = .draining
    }

    /// The stream was closed: by END_STREAM, RST_STREAM, or a GOAWAY for streams below it.
    ///
    /// - Parameter status: of the answer so far, 0 for none.
    mutating func streamClosed(_ stream: Int32, errorCode: UInt32, status: Int) -> StreamEnd {
        openStreams -= 1
        // A reset may cut off a body, but a 2xx alone says what became of the request.
        if status >= 200, errorCode == Self.noError || status < 300 {
            timeoutsInARow = 0
            return .answered
        }
        guard errorCode == Self.refusedStream else { return .unanswered(reason: Reason.streamReset) }
        let isAbove = goAway.map { stream > $0.lastStream } ?? false
        return .notProcessed(reason: isAbove ? Reason.aboveGoAway : Reason.streamRefused)
    }

    /// The connection is gone with the stream open. A request that did not leave whole cannot have been processed.
    func lost(isSent: Bool, failure: TransportFailure) -> StreamEnd {
        isSent ? .unanswered(reason: failure.reason) : .notProcessed(reason: failure.reason)
    }

    /// The deadline came first. The stream is reset and closes later.
    mutating func timedOut(isSent: Bool) -> StreamEnd {
        timeoutsInARow += 1
        if timeoutsInARow >= Self.maximumTimeoutsInARow { drain() }
        return isSent ? .unanswered(reason: Reason.timeout) : .notProcessed(reason: Reason.timeout)
    }
}

/// Why a request was not answered, where the connection as such is not the reason.
enum Reason {
    static let streamReset = "the server reset the stream"
    static let streamRefused = "the server refused the stream"
    static let aboveGoAway = "the server is closing the connection and did not process the request"
    static let timeout = "timeout"
    static let tooManyWaiting = "too many requests waiting"
    static let noStreamInTime = "no stream was free before its deadline"
    static let tooManyServices = "too many push services at once"
    static let silentService = "the push service did not respond; it is probed from time to time"
    static let unusableTrustRoots = "unusable trust roots"
}
