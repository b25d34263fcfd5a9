import BelfryModel
import BelfryStore
import Synchronization

/// What it means for a registration that it could not be applied. It was acknowledged, so it is ended only when it can
/// never be applied (REG-20).
enum ApplicationFault: Hashable, Sendable {
    /// It, or what it is applied to, cannot be read or written.
    case lasting
    /// The database cannot do it now: everything waits.
    case passing
    /// Nobody knows. It is tried a few times.
    case unknown

    init(_ error: any Error) {
        switch error {
        case let error where error.meansTryAgain: self = .passing
        case is StoreError, is DecodingError, is EncodingError, is Refusal: self = .lasting
        default: self = .unknown
        }
    }
}

/// How often registrations failed for a reason that nobody knows.
final class FailedAttempts: Sendable {
    private let counts = Mutex<[Int64: Int]>([:])

    /// Counts one more; returns how many there were.
    func add(_ registration: Int64) -> Int {
        counts.withLock { counts in
            counts[registration, default: 0] += 1
            return counts[registration, default: 0]
        }
    }

    /// The oldest that wait are tried first: once they are through, nothing is left that had failed.
    func forget() {
        counts.withLock { $0 = [:] }
    }
}
