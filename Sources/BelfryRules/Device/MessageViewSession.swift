import Foundation

/// The messages that were displayed in a display session of the message center's view (ENG-1, ENG-2).
///
/// A session begins when the view appears and ends when it disappears. It is stored with its events, so a kill neither
/// loses a display nor counts it twice: an app that comes back soon continues the session. The event's id is derived
/// from the session and the message, so even a repeated event does not count twice on the server.
public struct MessageViewSession: Hashable, Sendable, Codable {
    /// The maximum number of remembered ids; five centers of twenty messages need far fewer.
    public static let maximumRemembered = 1_000

    /// A view that has not disappeared.
    public struct Session: Hashable, Sendable, Codable {
        public let id: String
        /// When the session began, or when a message was last displayed in it.
        fileprivate(set) var lastSeenAt: Date
        fileprivate(set) var displayed: [String] = []
    }

    public private(set) var session: Session?

    public init() {}

    /// The process started. If the end of the view was not recorded, the session ends if the app did not come back
    /// soon.
    ///
    /// - Parameter timeout: that of the app's sessions, in seconds.
    public mutating func launched(at now: Date, timeout: TimeInterval) {
        endIfOld(at: now, timeout: timeout)
    }

    /// The view appears. A session that has not ended, for example because of a kill, continues if it is not old.
    ///
    /// - Parameters:
    ///   - newID: the id of the new session, if one begins.
    ///   - timeout: that of the app's sessions, in seconds.
    public mutating func appeared(at now: Date, newID: String, timeout: TimeInterval) {
        endIfOld(at: now, timeout: timeout)
        if session == nil { session = Session(id: newID, lastSeenAt: now) }
    }

    /// A message is displayed. Without a session one begins, because apps may not report the view.
    ///
    /// - Parameter newID: the id of the new session, if one begins.
    /// - Returns: the id of the event that counts the display; nil when it was already counted in this session.
    public mutating func displayed(_ message: String, at now: Date, newID: String) -> String? {
        var open = session ?? Session(id: newID, lastSeenAt: now)
        guard !open.displayed.contains(message) else { return nil }
        open.displayed.append(message)
        open.displayed.removeFirst(max(0, open.displayed.count - Self.maximumRemembered))
        open.lastSeenAt = now
        session = open
        return StableDigest(displayOf: message, in: open.id).text
    }

    /// The view disappears, or another person uses the device from now on.
    public mutating func ended() {
        session = nil
    }

    private mutating func endIfOld(at now: Date, timeout: TimeInterval) {
        guard let open = session else { return }
        // If the clock was set back, the time-out cannot be judged; the session ends instead of being endless.
        let isOld = now < open.lastSeenAt || now.timeIntervalSince(open.lastSeenAt) >= timeout
        if isOld { session = nil }
    }
}

extension StableDigest {
    /// One display of a message in one session.
    fileprivate init(displayOf message: String, in session: String) {
        var fields = DigestFields()
        fields.add("session", session)
        fields.add("message", message)
        self = fields.digest
    }
}
