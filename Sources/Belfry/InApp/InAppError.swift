import BelfryRules

/// Why a call about in-app messages did not do what was asked.
public struct InAppError: Error, Hashable, Sendable {
    /// What kind of fault it is; more kinds may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// Stable, in camel case.
        public let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// What kind of fault it is.
    public let code: Code
    /// What happened and what is allowed, for the app's developer.
    public let message: String
    /// For ``Code/notShown``: what stood in the way.
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
    /// No network, or no answer of a Belfry server came.
    public static let noNetwork = Self("noNetwork")
    /// The server asks for patience, or is in trouble.
    public static let serverUnavailable = Self("serverUnavailable")
    /// Nobody is linked to the device yet, so nobody has messages.
    public static let noContact = Self("noContact")
    /// The client was not started, or runs no longer.
    public static let notRunning = Self("notRunning")
    /// The server refused the call, or its answer is none that the API promises; the message tells.
    public static let refused = Self("refused")
    /// The client was wiped, or its person erased, and was not started since (REG-36).
    public static let resting = Self("resting")
    /// The storage cannot be opened, read or written.
    public static let storageUnavailable = Self("storageUnavailable")
    /// The client was stopped; make a new one.
    public static let stopped = Self("stopped")
    /// The task that waited was cancelled.
    public static let cancelled = Self("cancelled")
}

extension InAppError {
    /// What a failure of the device's own storage, or the end of the client, means here.
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
