import BelfryStore
import GRDB

extension StoreError {
    /// Of SQLite's errors, what the layers above act on; any other error stays as it is.
    static func told(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        switch error.resultCode {
        case .SQLITE_FULL:
            return StoreError.full(reason: error.description)
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_CANTOPEN,
            .SQLITE_READONLY, .SQLITE_PROTOCOL, .SQLITE_INTERRUPT:
            return StoreError.tryAgain(reason: error.description)
        case .SQLITE_CONSTRAINT:
            return StoreError.refused(reason: error.description)
        default:
            return error
        }
    }
}
