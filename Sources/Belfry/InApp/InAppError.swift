import BelfryRules

/// An error of a call about in-app messages.
public struct InAppError: Error, Hashable, Sendable {
    /// The kind of error; there may be more in later versions.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// Stable, in camel case.
        public let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// The kind of error.
    public let code: Code
    /// What happened and what is allowed, for the app's developer.
    public let message: String
    /// For ``Code/notShown``: the reason.
    public let reason: InAppReason?

    init(_ code: Code, _ message: String, reason: InAppReason? = nil) {
        self.code = code
        self.message = message
        self.reason = reason
    }
}

extension InAppError.Code {
    /// The device has no such message: never downloaded, ended, recalled, or another person's.
    public static let unknownMessage = Self("unknownMessage")
    /// The message was not shown; ``InAppError/reason`` says why.
    public static let notShown = Self("notShown")
    /// The platform has nothing that shows messages (``DevicePlatform/inAppPresenter``).
    public static let noPresenter = Self("noPresenter")
    /// No network, or no response from a Belfry server.
    public static let noNetwork = Self("noNetwork")
    /// The server is not available, or there were too many requests.
    public static let serverUnavailable = Self("serverUnavailable")
    /// The device is not linked to a contact yet, so there are no messages.
    public static let noContact = Self("noContact")
    /// The client was not started, or is no longer running.
    public static let notRunning = Self("notRunning")
    /// The server rejected the request, or its response does not conform to the API; details are in the message.
    public static let refused = Self("refused")
    /// The client was wiped, or its person erased, and was not started since (REG-36).
    public static let resting = Self("resting")
    /// The storage cannot be opened, read or written.
    public static let storageUnavailable = Self("storageUnavailable")
    /// The client was stopped; create a new one.
    public static let stopped = Self("stopped")
    /// The task that waited was cancelled.
    public static let cancelled = Self("cancelled")
}

extension InAppError {
    /// The error for a failure of the device's storage, or for a stopped client.
    init(_ error: BelfryError) {
        self.init(error.code == .stopped ? .stopped : .storageUnavailable, error.message)
    }

    /// The message was not shown.
    static func notShown(_ reason: InAppReason) -> InAppError {
        InAppError(.notShown, reason.description, reason: reason)
    }
}

extension InAppError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
