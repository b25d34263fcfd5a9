import BelfryStore
import Foundation
import Synchronization

/// The registrations that this process may be at in groups, as the database knows it: named before they are begun, so
/// that what was under way is known when the process has died (SEC-8).
///
/// One mark names many groups' worth of numbers, those to come among them, so it costs a small write now and then.
final class RegistrationGroupMark: Sendable {
    /// Numbers that one mark names: what is worked on alone after a death at most.
    static let span: Int64 = 1_000
    /// How long a mark is valid, and after which time it is written anew, in seconds.
    static let lease: TimeInterval = 15
    static let renewal: TimeInterval = 5

    private struct Mark {
        let ids: ClosedRange<Int64>
        let writtenAt: Date
    }

    private let mark = Mutex<Mark?>(nil)

    /// Whether anything is marked.
    var isSet: Bool { mark.withLock { $0 != nil } }

    /// Whether a group is named already.
    func covers(_ ids: ClosedRange<Int64>, at now: Date) -> Bool {
        mark.withLock { mark in
            guard let mark else { return false }
            // A clock that was set back does not put the renewal off.
            return mark.ids.contains(ids.lowerBound) && mark.ids.contains(ids.upperBound)
                && abs(now.timeIntervalSince(mark.writtenAt)) < Self.renewal
        }
    }

    /// What to name for a group.
    static func ids(for group: ClosedRange<Int64>) -> ClosedRange<Int64> {
        group.lowerBound...max(group.upperBound, group.lowerBound + span - 1)
    }

    /// It is written.
    func set(_ ids: ClosedRange<Int64>, at now: Date) {
        mark.withLock { $0 = Mark(ids: ids, writtenAt: now) }
    }

    /// It is gone.
    func clear() {
        mark.withLock { $0 = nil }
    }
}
