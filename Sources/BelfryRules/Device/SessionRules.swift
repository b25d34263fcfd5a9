import Foundation

/// An internal event of a session (EVT-6).
public enum SessionEvent: Hashable, Sendable {
    case appStart(at: Date)
    case sessionStart(id: String, at: Date)
    /// `duration` in seconds.
    case sessionEnd(id: String, at: Date, duration: TimeInterval)
}

/// The parameters of a session, in seconds.
public struct SessionPolicy: Hashable, Sendable, Codable {
    /// The time in the background after which the session is over (EVT-6).
    public var timeout: TimeInterval
    /// How often the running session notes that it is alive, so that its duration survives a crash.
    public var heartbeat: TimeInterval

    public init(timeout: TimeInterval = 30, heartbeat: TimeInterval = 60) {
        self.timeout = timeout
        self.heartbeat = heartbeat
    }
}

/// The session of a device: begins with the app in the foreground, ends after a time-out in the background (EVT-6).
///
/// A session ends at the moment when the app went to the background, not when the time-out was over. It is stored after
/// every step, so a session that ended while the app was dead is closed at the next start, with the right duration.
public struct SessionRules: Hashable, Sendable, Codable {
    /// A session that has not ended.
    public struct Session: Hashable, Sendable, Codable {
        public let id: String
        public let startedAt: Date
        public fileprivate(set) var lastSeenAt: Date
        public fileprivate(set) var backgroundedAt: Date?
    }

    public private(set) var session: Session?
    /// The process has started and was not shown yet.
    private var appStartIsDue = false

    public init() {}

    /// The process started, shown or not.
    public mutating func launched(at now: Date, policy: SessionPolicy) -> [SessionEvent] {
        appStartIsDue = true
        if let open = session, open.backgroundedAt == nil {
            // The process died in the foreground; this is the last time at which it was certainly alive.
            session?.backgroundedAt = open.lastSeenAt
        }
        return timePassed(at: now, policy: policy)
    }

    /// - Parameter newID: the id of the new session, if one begins.
    public mutating func enteredForeground(at now: Date, newID: String, policy: SessionPolicy) -> [SessionEvent] {
        var events = timePassed(at: now, policy: policy)
        if appStartIsDue {
            appStartIsDue = false
            events.append(.appStart(at: now))
        }
        if session == nil {
            events.append(start(at: now, id: newID))
        } else {
            session?.backgroundedAt = nil
            session?.lastSeenAt = now
        }
        return events
    }

    /// The app is no longer shown; the time-out begins.
    public mutating func enteredBackground(at now: Date) {
        guard let open = session, open.backgroundedAt == nil else { return }
        session?.lastSeenAt = max(now, open.startedAt)
        session?.backgroundedAt = max(now, open.startedAt)
    }

    /// Ends the session when its time-out is over.
    public mutating func timePassed(at now: Date, policy: SessionPolicy) -> [SessionEvent] {
        guard let left = session?.backgroundedAt else { return [] }
        // If the clock was set back, the time-out cannot be judged; the session ends instead of being endless.
        guard now < left || now.timeIntervalSince(left) >= policy.timeout else { return [] }
        return end(at: left)
    }

    /// Another person uses the app from now on: a session belongs to one contact.
    public mutating func contactChanged(at now: Date, newID: String) -> [SessionEvent] {
        guard let open = session else { return [] }
        if let left = open.backgroundedAt { return end(at: left) }
        return end(at: max(now, open.startedAt)) + [start(at: now, id: newID)]
    }

    /// The app is alive and shown.
    public mutating func seen(at now: Date) {
        guard let open = session, open.backgroundedAt == nil else { return }
        session?.lastSeenAt = max(now, open.startedAt)
    }

    /// When the session must be checked again; nil when there is none.
    public func nextDue(policy: SessionPolicy) -> Date? {
        guard let session else { return nil }
        if let left = session.backgroundedAt { return left.addingTimeInterval(policy.timeout) }
        return session.lastSeenAt.addingTimeInterval(policy.heartbeat)
    }

    private mutating func start(at now: Date, id: String) -> SessionEvent {
        session = Session(id: id, startedAt: now, lastSeenAt: now, backgroundedAt: nil)
        return .sessionStart(id: id, at: now)
    }

    private mutating func end(at date: Date) -> [SessionEvent] {
        guard let ended = session else { return [] }
        session = nil
        return [.sessionEnd(id: ended.id, at: date, duration: max(0, date.timeIntervalSince(ended.startedAt)))]
    }
}
