import Logging

extension Logger {
    /// Says what work in the background could not do. That the database fails is told once, by ``StorageWatch``, and not
    /// each time by everybody who needs it.
    func failed(_ message: Logger.Message, _ error: any Error, _ metadata: Logger.Metadata = [:]) {
        log(
            level: error.meansTryAgain ? .debug : .error, message,
            metadata: metadata.merging(["error": "\(LoggedError(error))"]) { $1 }
        )
    }
}
