import BelfryModel

/// An error of a call to the SDK.
public struct BelfryError: Error, Hashable, Sendable {
    /// The kind of error; there may be more in later versions.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// Stable, in camel case.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// A field of the configuration cannot be used.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// Another client uses the storage directory, in this process or in another.
        public static let directoryInUse = Code("directoryInUse")
        /// The storage cannot be opened, read or written: no space, no permission, a newer version's file,
        /// or, temporarily, a device that was not unlocked since it was started.
        public static let storageUnavailable = Code("storageUnavailable")
        /// An event exceeds a limit (``BelfryModel/EventLimits``); nothing was recorded.
        public static let invalidEvent = Code("invalidEvent")
        /// The client was stopped; create a new one.
        public static let stopped = Code("stopped")
    }

    /// The kind of error.
    public let code: Code
    /// What happened and what is allowed, for the app's developer.
    public let message: String
    /// The invalid field, if there is one.
    public let field: String?

    init(_ code: Code, _ message: String, field: String? = nil) {
        self.code = code
        self.message = message
        self.field = field
    }

    static let stopped = BelfryError(.stopped, "This client was stopped. Create a new one.")

    static func storage(_ error: any Error) -> BelfryError {
        (error as? BelfryError) ?? BelfryError(.storageUnavailable, "The storage failed: \(error)")
    }
}

extension BelfryError: CustomStringConvertible {
    /// The message, after the field if there is one.
    public var description: String {
        field.map { "\($0): \(message)" } ?? message
    }
}
