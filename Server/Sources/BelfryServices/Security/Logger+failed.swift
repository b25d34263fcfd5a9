import Logging

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
