import Foundation

/// Which messages were displayed in the session of the message centre's view (ENG-1, ENG-2).
///
/// A session begins when the view appears and ends when it disappears. It is stored with the events that it brings, so
/// a kill neither loses what was displayed nor counts it twice: whoever comes back soon goes on with it. The event's id
/// is made of the session and the message, so not even a repeated event could count twice on the server.
public struct DisplayRules: Hashable, Sendable, Codable {
    /// Ids that a session remembers; five centres of twenty messages are far from it.
    public static let maximumRemembered = 1_000

    /// A view that has not disappeared.
    public struct Session: Hashable, Sendable, Codable {
        public let id: String
        /// When it began, or something was displayed in it last.
        fileprivate(set) var lastSeenAt: Date
        fileprivate(set) var displayed: [String] = []
    }

    public private(set) var session: Session?

    public init() {}

    /// The process started. A view whose end nobody saw is over when the app did not come back soon.
    ///
    /// - Parameter timeout: that of the app's sessions, in seconds.
    public mutating func launched(at now: Date, timeout: TimeInterval) {
        endIfOld(at: now, timeout: timeout)
    }

    /// The view appears. One that never disappeared, such as that of a killed process, goes on if it is not old.
    ///
    /// - Parameters:
    ///   - newID: the id of the session that begins, if one does.
    ///   - timeout: that of the app's sessions, in seconds.
    public mutating func appeared(at now: Date, newID: String, timeout: TimeInterval) {
        endIfOld(at: now, timeout: timeout)
        if session == nil { session = Session(id: newID, lastSeenAt: now) }
    }

    /// A message is displayed. Without a session one begins: a view that does not tell of itself counts as well.
    ///
    /// - Parameter newID: the id of the session that begins, if one does.
    /// - Returns: the id of the event that counts it; nil when it was counted in this session before.
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
        // A clock that was set back says nothing about the time-out; the session is over rather than endless.
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
