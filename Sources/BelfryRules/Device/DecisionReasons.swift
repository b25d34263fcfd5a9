/// Why something is sent now.
public enum SendReason: String, Hashable, Sendable, Codable {
    /// The installation never registered (REG-2).
    case first
    case changed
    case retry
}

/// Why something is sent later.
public enum WaitReason: String, Hashable, Sendable, Codable {
    /// At most one registration in a minute (REG-4).
    case throttled
    /// More edits may follow; they are sent together (REG-4).
    case collectingEdits
    /// More events may follow; they are sent together (EVT-2).
    case collectingEvents
    /// The last attempt failed (REG-6, EVT-5).
    case backingOff
    /// The server refused this content; an edit, or a day, ends the wait (REG-6).
    case refused
    /// The message centers, or the in-app messages, were fetched less than the interval ago (MC-4, IAM-3).
    case fetchedLately
}

/// Why nothing is to be sent until something happens.
public enum IdleReason: String, Hashable, Sendable, Codable {
    case nothingToDo
    /// The server has accepted the present record (REG-3).
    case nothingChanged
    /// The system woke the app without showing it (REG-3).
    case backgroundWake
    case offline
    /// The app wants no uploads before a contact key is set (REG-12).
    case waitingForContactKey
    /// The client is suspended: the device was wiped, or its person erased, and it was not started since (REG-36).
    case resting
    /// The device has no contact yet.
    case waitingForContact
    case queueEmpty
}

/// The state of the app.
public enum AppState: String, Hashable, Sendable, Codable {
    case foreground
    case background
    /// Launched by the system, or woken by a silent push, and not shown since: no session, no registration (EVT-6,
    /// REG-3).
    case backgroundWake
}
