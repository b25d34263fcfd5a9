import Logging

/// The description of an error for the log: never a value that somebody sent (SEC-3).
package struct LoggedError: CustomStringConvertible {
    private let error: any Error

    package init(_ error: any Error) {
        self.error = error
    }

    /// Database errors contain statements without arguments. A decoder's error may contain the value that it could not
    /// read, so only its kind and location are logged.
    package var description: String {
        guard let error = error as? DecodingError else { return "\(error)" }
        return switch error {
        case .typeMismatch(let type, let context): "a value is not a \(type): \(Self.place(context))"
        case .valueNotFound(let type, let context): "a value is missing, a \(type): \(Self.place(context))"
        case .keyNotFound(let key, let context): "the key \(key.stringValue) is missing: \(Self.place(context))"
        case .dataCorrupted(let context): "a value cannot be read: \(Self.place(context))"
        @unknown default: "a value cannot be decoded"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty ? "the whole" : context.codingPath.map(\.stringValue).joined(separator: ".")
    }
}

extension Logger {
    /// Logs a failure of work in the background. A failing database is reported once by ``StorageWatch``, and not by
    /// everything that needs it.
    func failed(_ message: Logger.Message, _ error: any Error, _ metadata: Logger.Metadata = [:]) {
        log(
            level: error.meansTryAgain ? .debug : .error, message,
            metadata: metadata.merging(["error": "\(LoggedError(error))"]) { $1 }
        )
    }
}
