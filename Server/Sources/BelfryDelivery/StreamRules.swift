/// The rules of one HTTP/2 connection: what it may do next, and what the end of a stream means for its request (RFC
/// 9113 §5.1.2, §6.8, §8.7).
struct StreamRules: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        /// Nothing is sent before the peer's SETTINGS. They come directly after the handshake, so this costs one round
        /// trip in the life of a connection. APNs allows only one stream until it has seen a valid provider token, so
        /// without the wait it would reject 99 of 100 requests.
        case awaitingSettings
        case open
        /// No new streams; the connection ends with the last one.
        case draining
    }

    /// The content of the peer's last GOAWAY.
    struct GoAway: Equatable, Sendable {
        let lastStream: Int32
        let errorCode: UInt32
    }

    /// What the end of a stream means for its request.
    enum StreamEnd: Equatable, Sendable {
        case answered
        case notProcessed(reason: String)
        case unanswered(reason: String)
    }

    /// A connection is replaced when its stream ids, which are never reused, come near their maximum of 2³¹ - 1.
    static let lastUsableStream: Int32 = 0x7fff_ff00
    /// A connection on which this many requests in a row passed their deadline is replaced, even if the peer answers
    /// PINGs. It also limits the number of resets: many of them look like an attack (CVE-2023-44487).
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

    /// The number of streams that may be opened now.
    var room: Int {
        phase == .open ? max(0, min(ownLimit, peerLimit) - openStreams) : 0
    }

    /// The peer may change the limit later. Streams above a lowered limit stay open (RFC 9113 §6.5.2).
    mutating func settingsReceived(maxConcurrentStreams: UInt32) {
        peerLimit = Int(min(maxConcurrentStreams, UInt32(Int32.max)))
        if phase == .awaitingSettings { phase = .open }
    }

    mutating func streamOpened(_ stream: Int32) {
        openStreams += 1
        if stream >= Self.lastUsableStream { phase = .draining }
    }

    /// A peer that shuts down gracefully sends two GOAWAYs: the first with the highest possible id, the second with the
    /// real one.
    mutating func goAwayReceived(lastStream: Int32, errorCode: UInt32) {
        goAway = GoAway(lastStream: min(lastStream, goAway?.lastStream ?? .max), errorCode: errorCode)
        phase = .draining
    }

    mutating func drain() {
        phase = .draining
    }

    /// The stream was closed: by END_STREAM, RST_STREAM, or a GOAWAY for streams below it.
    ///
    /// - Parameter status: the status of the response so far; 0 for none.
    mutating func streamClosed(_ stream: Int32, errorCode: UInt32, status: Int) -> StreamEnd {
        openStreams -= 1
        // A reset may cut off a body, but a 2xx is enough to know what became of the request.
        if status >= 200, errorCode == Self.noError || status < 300 {
            timeoutsInARow = 0
            return .answered
        }
        guard errorCode == Self.refusedStream else { return .unanswered(reason: Reason.streamReset) }
        let isAbove = goAway.map { stream > $0.lastStream } ?? false
        return .notProcessed(reason: isAbove ? Reason.aboveGoAway : Reason.streamRefused)
    }

    /// The connection was lost with the stream open. A request that was not sent completely cannot have been processed.
    func lost(isSent: Bool, failure: TransportFailure) -> StreamEnd {
        isSent ? .unanswered(reason: failure.reason) : .notProcessed(reason: failure.reason)
    }

    /// The deadline passed first. The stream is reset and closes later.
    mutating func timedOut(isSent: Bool) -> StreamEnd {
        timeoutsInARow += 1
        if timeoutsInARow >= Self.maximumTimeoutsInARow { drain() }
        return isSent ? .unanswered(reason: Reason.timeout) : .notProcessed(reason: Reason.timeout)
    }
}

/// The reasons why a request was not answered although the connection works.
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
